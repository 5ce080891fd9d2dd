/**
 * build - bundles the page into one file.
 *
 *	node build.mjs FILE.c	the page, compressed, and its content security policy, as C
 *	node build.mjs FILE.html	as it is, to be looked at
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const src = fileURLToPath(new URL("src/", import.meta.url));

const bundled = await build({
  entryPoints: [src + "main.tsx"],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none", // see licences()
  metafile: true,
  logLevel: "warning",
});
const styled = await build({
  entryPoints: [src + "page.css"], bundle: true, minify: true, write: false, logLevel: "warning",
});
/** What the page carries of others, and the licence that they are under, which asks for that. */
async function licences(inputs) {
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  const rows = [];
  let terms = "";
  for (const name of [...names].sort()) {
    const text = await readFile(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8");
    const parts = /^\W*(?:The )?MIT License[^]*?^(Copyright .*)$([^]*)/im.exec(text);
    if (!parts) throw new Error(`${name} is not under the MIT licence`);
    rows.push(`${name}: ${parts[1]}`);
    terms = parts[2].trim();
  }
  return `This page contains\n${rows.join("\n")}\n\n${terms}`.replace(/--/g, "- -");
}

// an end tag within the script would end it
const script = bundled.outputFiles[0].text.trim().replace(/<\/script/gi, "<\\/script");
const style = styled.outputFiles[0].text.trim();
const page = (await readFile(src + "index.html", "utf8"))
  .replace("/*css*/", () => style).replace("/*js*/", () => script)
  .replace("/*licences*/", await licences(Object.keys(bundled.metafile.inputs)));
const hash = createHash("sha256").update(script).digest("base64");

const target = process.argv[2];
if (target.endsWith(".html")) {
  await writeFile(target, page);
} else {
  const bytes = gzipSync(page, { level: 9 });
  const rows = [];
  for (let i = 0; i < bytes.length; i += 32) rows.push("\t" + [...bytes.subarray(i, i + 32)].join(","));
  await writeFile(target, `/* Made of web/ by web/build.mjs. */
#include "serve/page.h"

const char page_script[] = "'sha256-${hash}'";
const size_t page_size = ${bytes.length};
const unsigned char page_bytes[] = {
${rows.join(",\n")}
};
`);
  process.stdout.write(`the page: ${bytes.length} bytes\n`);
}
