/**
 * page_bench - how fast the page is, and others beside it, in headless Chromium.
 *
 *	node page_bench.mjs CHROMIUM tree ADDRESS	a recording with a large tree
 *	                             live PID PLACE SONDE	a target that runs
 *	                             speedscope INDEX PROFILE	speedscope's page, a file for it
 *	                             svg FILE		a picture of flamegraph.pl
 *
 * Prints one line of JSON: milliseconds, MB, parts of a core.  test/bench/page_bench.py makes
 * what it is about and puts the lines together.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { chromium } from "playwright-core";

const [executablePath, mode, ...rest] = process.argv.slice(2);
const WAIT = 240000, TICKS = 100;

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-features=LocalNetworkAccessChecks",
         "--enable-precise-memory-info", "--js-flags=--expose-gc"],
});
const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(WAIT);

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const part = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))];
const rounded = (v) => Math.round(v * 10) / 10;
const say = (o) => console.log(JSON.stringify(Object.fromEntries(
  Object.entries(o).map(([k, v]) => [k, typeof v === "number" ? rounded(v) : v]))));
const until = (does, argument) => page.waitForFunction(does, argument, { timeout: WAIT });
const heap = () => page.evaluate(() => {
  globalThis.gc?.();
  return performance.memory.usedJSHeapSize / 1e6;
});

/** Notes when the first drawing came, and when there was something to be seen of it. */
function watchFirst() {
  const Real = WebSocket;
  globalThis.marks = {};
  globalThis.WebSocket = class extends Real {
    constructor(...a) {
      super(...a);
      this.addEventListener("message", (e) => {
        if (e.data instanceof ArrayBuffer) marks.came ??= performance.now();
      });
    }
  };
  const look = () => {
    if (globalThis.sonde?.timing.rects > 0) marks.painted ??= performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** How long each drawing takes from now on, and when it was done. */
const watchDraws = () => page.evaluate(() => {
  const { timing } = sonde;
  let last = timing.draw;
  globalThis.draws = [];
  Object.defineProperty(timing, "draw", {
    get: () => last,
    set: (ms) => draws.push({ ms: (last = ms), at: performance.now() }),
  });
});

/** Does something in the page, and waits until it was drawn: how long that took. */
const untilDrawn = (what, argument) => page.evaluate(async ([what, argument]) => {
  const began = performance.now();
  const { state } = sonde;
  if (what === "bound") state.bound.value = { kind: "above", low: argument };
  else if (what === "search") state.searched.value = argument;
  else state.view.value = { node: argument, from: 0, to: 1 };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (;;) {
    await frame();
    const drawn = draws.findLast((d) => d.at > began);
    if (drawn && state.isAnswered.value && (what !== "bound" || drawn.at > answeredAt)) return drawn.at - began;
  }
}, [what, argument]);

async function tree(address) {
  await page.addInitScript(watchFirst);
  await page.goto(address);
  await until(() => globalThis.marks?.painted && sonde.state.isAnswered.value);
  await sleep(1000);
  const result = await page.evaluate(() => ({
    nodes: sonde.state.tree().count, samples: sonde.state.scene.value.picture.samples,
    first: marks.painted - marks.came,
  }));
  await watchDraws();
  await page.evaluate(() => {
    globalThis.answeredAt = 0;
    const known = sonde.state.version;
    let seen = known.value;
    const look = () => {
      if (known.value !== seen) answeredAt = performance.now();
      seen = known.value;
    };
    known.subscribe(look);
  });
  const nodes = await page.evaluate(() => {
    const { state } = sonde, t = state.tree(), list = [];
    for (let i = 0; list.length < 40; i = (i * 48271 + 11) % t.count) if (i) list.push(i);
    return list;
  });
  for (const node of nodes) {
    await untilDrawn("zoom", node);
    await sleep(250);
  }
  const zooms = await page.evaluate(() => draws.splice(0).map((d) => d.ms));
  result.zoom = part(zooms, 0.5);
  result.zoom_p95 = part(zooms, 0.95);
  await untilDrawn("zoom", 0);
  await sleep(400);
  const searches = [];
  for (const text of ["find_41", "Row_7.*back", "function_2", "nothing_like_it", "emplace"]) {
    searches.push(await untilDrawn("search", text));
    await sleep(100);
  }
  result.search = part(searches, 0.5);
  await page.evaluate(() => (sonde.state.searched.value = ""));
  const brushes = [];
  for (let i = 0; i < 21; i++) brushes.push(await untilDrawn("bound", 1e6 * (1 + ((i * 7) % 16))));
  result.brush = part(brushes, 0.5);
  result.brush_p95 = part(brushes, 0.95);
  result.heap = await heap();
  say(result);
}

/** Seconds of CPU time that processes and all their children took. */
function cpuOf(roots) {
  const parents = new Map(), times = new Map();
  for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n)).map(Number)) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      parents.set(pid, +fields[1]);
      times.set(pid, (+fields[11] + +fields[12]) / TICKS);
    } catch {
      // it has ended
    }
  }
  const under = (pid) => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (roots.includes(at)) return true;
    return false;
  };
  return [...times].filter(([pid]) => under(pid)).reduce((sum, [, t]) => sum + t, 0);
}

async function live(pid, place, sonde) {
  const began = performance.now();
  const child = spawn(sonde, ["-q", "-p", pid], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done) => child.stdout.once("data", (b) => done(String(b).trim())));
  const said = performance.now();
  await page.addInitScript(watchFirst);
  await page.goto(address);
  await until(() => globalThis.marks?.painted);
  const result = { address: said - began, graph: performance.now() - began };
  await sleep(1000);
  const probing = performance.now();
  await page.keyboard.press("Control+p");
  await page.keyboard.type(place);
  await page.keyboard.press("Enter");
  const entered = performance.now();
  await until((place) => globalThis.sonde.state.span.value?.place === place &&
    globalThis.sonde.state.span.value.returned > 0 && document.querySelector(".histogram canvas"), place);
  result.histogram = performance.now() - entered;
  result.typed = entered - probing;
  await sleep(15000); // names and lines have been read
  const of = [[process.pid], [child.pid]], before = of.map(cpuOf), at = performance.now();
  const version = await page.evaluate(() => globalThis.sonde.state.version.value);
  await sleep(15000);
  const seconds = (performance.now() - at) / 1000, after = of.map(cpuOf);
  // node that runs this waits: what it takes is counted with the browser
  result.nodes = await page.evaluate(() => globalThis.sonde.state.tree().count);
  result.updates = ((await page.evaluate(() => globalThis.sonde.state.version.value)) - version) / seconds;
  result.sonde_percent = (100 * (after[1] - before[1])) / seconds;
  result.browser_percent = (100 * (after[0] - before[0])) / seconds - result.sonde_percent;
  child.kill("SIGINT");
  await new Promise((done) => child.once("exit", done));
  say(result);
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
                ".svg": "image/svg+xml", ".woff2": "font/woff2" };

function serve(files) {
  const server = createServer((request, response) => {
    const file = files(new URL(request.url, "http://x").pathname);
    try {
      response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
      response.end(readFileSync(file));
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done([server, server.address().port])));
}

/** Two frames after a gesture: what it took until it could be seen. */
const gesture = (does) => page.evaluate(`(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const began = performance.now();
  ${does};
  await frame();
  await frame();
  return performance.now() - began;
})()`);

async function speedscope(index, profile) {
  const [server, port] = await serve((path) => (path === "/profile.json" ? profile : join(dirname(index), path.slice(1))));
  const began = performance.now();
  await page.goto(`http://127.0.0.1:${port}/index.html#profileURL=${encodeURIComponent(`http://127.0.0.1:${port}/profile.json`)}`);
  await until(() => /Left Heavy/.test(document.body.innerText)); // the tabs of a profile that is loaded
  await gesture("0");
  const result = { first: performance.now() - began, file: statSync(profile).size / 1e6 };
  await page.keyboard.press("2"); // left heavy, as a flame graph is
  await sleep(3000);
  const zooms = [];
  for (let i = 0; i < 15; i++)
    zooms.push(await gesture(`document.elementFromPoint(${200 + 80 * (i % 15)}, 400).dispatchEvent(new WheelEvent("wheel",
      { deltaY: ${i % 2 ? 200 : -200}, ctrlKey: true, clientX: ${200 + 80 * (i % 15)}, clientY: 400, bubbles: true, cancelable: true }))`));
  result.zoom = part(zooms, 0.5);
  result.zoom_p95 = part(zooms, 0.95);
  result.heap = await heap();
  server.close();
  say(result);
}

async function svg(file) {
  const [server, port] = await serve(() => file);
  const began = performance.now();
  await page.goto(`http://127.0.0.1:${port}/graph.svg`, { waitUntil: "load" });
  await gesture("0");
  const result = { first: performance.now() - began, file: statSync(file).size / 1e6 };
  const zooms = [];
  for (let i = 0; i < 5; i++) {
    zooms.push(await gesture(`(() => { const g = document.querySelectorAll("#frames > g");
      g[Math.floor(g.length * ${(i + 1) / 7})].dispatchEvent(new MouseEvent("click", { bubbles: true })); })()`));
    await gesture("unzoom()");
  }
  result.zoom = part(zooms, 0.5);
  result.search = await gesture('search("find_41")');
  result.heap = await heap();
  server.close();
  say(result);
}

try {
  await { tree, live, speedscope, svg }[mode](...rest);
} finally {
  await browser.close();
}
