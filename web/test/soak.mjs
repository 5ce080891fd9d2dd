/**
 * soak - a page that stays open while a probe comes and goes every second.
 *
 *	node soak.mjs ADDRESS CHROMIUM PID SECONDS PLACE
 *
 * PID is the sonde's whose page it is; PLACE a function of its target to measure, as a person
 * does it.  Prints a line of TAP for each case; what memory does is asked for when it goes on
 * for a minute or longer, from a third of the time on.
 */
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [address, executablePath, pid, secondsWord, place] = process.argv.slice(2);
const seconds = +secondsWord, GROWTH = 1.05;
// What the browser compiles counts as memory of the page, comes late (in two thirds of ten
// minutes 0.6 of 5 MB, and nothing else) and ends with the code: it is not asked about.
const NO_COMPILER = "--no-opt --no-maglev --no-sparkplug --no-flush-bytecode";

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-features=LocalNetworkAccessChecks",
         `--js-flags=${NO_COMPILER}`],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const devtools = await page.context().newCDPSession(page), complaints = [];
page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
page.on("pageerror", (e) => complaints.push(e.stack));

let failures = 0;
function check(name, good, why = "") {
  failures += !good;
  if (!good && why) console.log(`# ${why}`);
  console.log(`${good ? "ok" : "not ok"} - ${name}`);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
/** MB; of the page what is left when all that nobody needs was thrown away, which gc() of its
 *  own does in part only. */
const memory = async () => {
  await devtools.send("HeapProfiler.collectGarbage");
  return {
    page: (await devtools.send("Runtime.getHeapUsage")).usedSize / 1e6,
    sonde: +/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1] / 1e3,
  };
};
const spans = () => page.evaluate(() => sonde.state.spans.value.map(({ probe, place, returned, removed }) =>
  ({ probe, place, returned, removed: !!removed })));

await page.goto(address);
await page.waitForFunction(() => globalThis.sonde?.state.scene.value?.picture.samples > 0);
await page.evaluate(() => (globalThis.stayed = true));

let rounds = 0, counted = 0, before = null;
const wrong = [], began = performance.now();
for (let second = 0; second < seconds; second++) {
  if (!before && second >= seconds / 3) before = await memory();
  try {
    const { probe } = await page.evaluate((place) => sonde.link.verb("watch", { place, yes: true }), place);
    await sleep(550);
    counted += (await spans()).some((s) => s.probe === probe && s.returned > 0);
    await page.evaluate((probe) => sonde.link.verb("unwatch", { probe }), probe);
    rounds++;
  } catch (e) {
    wrong.push(e.message);
  }
  await sleep(Math.max(0, began + 1000 * (second + 1) - performance.now()));
}
await sleep(1000);
const after = await memory(), last = await spans();
const words = (m) => `sonde ${m.sonde.toFixed(1)} MB, page ${m.page.toFixed(1)} MB`;

check(`a probe came and went ${rounds} times`, !wrong.length && rounds === seconds, wrong.slice(0, 3).join("; "));
check(`its calls were shown ${counted} times`, counted > 0);
check("none is watched that should not be", last.filter((s) => s.place === place && !s.removed).length === 0);
check("the page was not loaded anew", (await page.evaluate(() => globalThis.stayed && sonde.link.state.value)) === "open");
check("and complained about nothing", !complaints.length, complaints.slice(0, 3).join("; "));
check(`memory: ${words(before)} at a third, ${words(after)} at the end`,
      seconds < 60 || (after.sonde <= GROWTH * before.sonde && after.page <= GROWTH * before.page));
await browser.close();
process.exitCode = failures ? 1 : 0;
