/**
 * browser - the page in Chromium, as a person uses it.
 *
 *	node browser.mjs live|recording ADDRESS CHROMIUM [PICTURES]
 *
 * ADDRESS is that of a sonde that watches the demonstration's server, or has opened a recording
 * of it, with handle_request as a span.  Prints a line of TAP for each case.  Into the folder
 * PICTURES screenshots are written.
 */
import { chromium } from "playwright-core";

const [mode, address, executablePath, pictures] = process.argv.slice(2);
const live = mode === "live";
const WAIT = 20000;
/** The page asks what is on this machine, which newer browsers ask the user about. */
const FEATURES = "--disable-features=LocalNetworkAccessChecks";

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", FEATURES] });
const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(WAIT);
const complaints = [], asked = [];
page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
page.on("pageerror", (e) => complaints.push(e.stack));
page.on("request", (r) => asked.push(r.url()));

let failures = 0;

async function test(name, does) {
  try {
    await does();
    console.log(`ok - ${name}`);
  } catch (e) {
    failures++;
    for (const line of String(e.stack).split("\n").slice(0, 20)) console.log(`# ${line}`);
    console.log(`not ok - ${name}`);
    await picture(`failed-${failures}`);
  }
}

async function picture(name) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
}

/** Of a target that runs. */
const liveTest = (name, does) => live && test(name, does);

function assert(value, words) {
  if (!value) throw new Error(words);
}

/** Waits until a function of the page's state is true. */
const until = (does, argument) => page.waitForFunction(does, argument, { timeout: WAIT });
const ask = (does, argument) => page.evaluate(does, argument);
const text = (selector) => page.locator(selector).innerText();

/** The middle of a function's widest frame, in the window. */
const middleOf = (name) => ask((name) => {
  const { state, flame } = sonde, r = flame.rects, stage = document.querySelector(".stage").getBoundingClientRect();
  let best = -1;
  for (let i = 0; i < r.count; i++)
    if (r.node[i] >= 0 && state.tree().nodeName(r.node[i]) === name && (best < 0 || r.width[i] > r.width[best])) best = i;
  return best < 0 ? null : { x: stage.x + r.x[best] + r.width[best] / 2, y: stage.y + r.row[best] * 18 - flame.scroll + 9 };
}, name);

const settled = () => ask(() => new Promise((done) => setTimeout(done, 400)));

/** Clicks it.  Frames of what runs move each second, so time stands still until it is clicked. */
async function clickFrame(name) {
  if (live) {
    await ask(() => document.activeElement?.blur());
    await page.keyboard.press(" ");
    await until(() => sonde.state.question.value.until !== undefined && sonde.state.isAnswered.value);
  }
  await settled();
  const at = await middleOf(name);
  await page.mouse.click(at.x, at.y);
  if (live) await page.keyboard.press(" ");
}

await page.goto(address);

await test("it says why slow calls are slow", async () => {
  // where the first calls were slow as they waited for a processor, that is said until others outweigh them
  const right = /extra time.*expand_table \(macro.c:7\), called by parse_request/;
  await until((right) => new RegExp(right).test(document.querySelector(".verdict")?.textContent ?? ""), right.source)
    .catch(async () => assert(false, await text(".verdict")));
  await picture("first");
});

await test("frames are as wide as what they weigh", async () => {
  await ask(() => (window.wrongWidths = () => {
    const { state, flame } = sonde, r = flame.rects, tree = state.tree();
    const total = tree.totals(state.mask.value, "nsec"), bad = [];
    let seen = 0;
    for (let i = 0; i < r.count; i++) {
      if (r.node[i] < 0) continue;
      seen++;
      const want = (total[r.node[i]] / total[0]) * flame.width;
      if (Math.abs(r.width[i] - want) > 0.01) bad.push([tree.nodeName(r.node[i]), r.width[i], want]);
    }
    return seen < 5 ? `only ${seen} frames` : bad.length ? JSON.stringify(bad.slice(0, 5)) : "";
  }));
  // they are drawn a moment after they have come; a function, as the page's policy lets no string be run
  await until(() => !wrongWidths()).catch(async (e) => assert(false, `${e.message} ${await ask(() => wrongWidths())}`));
});

await test("functions weigh in the tree what sonde says of them", async () => {
  const wrong = await ask(() => {
    const { state, functionTimes } = sonde, tree = state.tree(), bad = [];
    const times = functionTimes(tree, 0b11); // in and rest
    for (const f of state.scene.value.picture.functions) {
      const same = times.filter((t) => tree.name(t.frame) === f.name && tree.frameLine[t.frame] === f.line);
      const total = same.reduce((sum, t) => sum + t.total, 0), self = same.reduce((sum, t) => sum + t.self, 0);
      if (same.length === 1 && (Math.abs(total - f.total_ns) > 1e-4 * f.total_ns + 10 ||
          Math.abs(self - f.self_ns) > 1e-4 * f.self_ns + 10)) bad.push([f.name, total, f.total_ns, self, f.self_ns]);
    }
    return times.length < 10 ? "too few functions" : bad.length ? JSON.stringify(bad.slice(0, 5)) : "";
  });
  assert(!wrong, wrong);
});

await test("a frame that is clicked has all of the width, and Escape goes back", async () => {
  await page.keyboard.press("5");
  await clickFrame("parse_request");
  await until(() => {
    const { state, flame } = sonde, i = flame.find(state.selected.value);
    return i >= 0 && Math.abs(flame.rects.width[i] - flame.width) < 0.1;
  });
  assert((await text(".picked b")) === "parse_request", await text(".picked"));
  await page.keyboard.press("Escape");
  await until(() => sonde.state.view.value.node === 0);
  await settled();
});

await test("the frame under the pointer is explained", async () => {
  const at = await middleOf("mix_block");
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector(".tip");
  const said = await text(".tip");
  for (const part of ["mix_block", "mix.c:", "±", "samples", "% of all", "a call, the rest"])
    assert(said.includes(part), `${part}: ${said}`);
  await page.mouse.move(5, 5);
});

await test("a search says how much of the time matches", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("^mix|DIGITS_not|digits$");
  const said = await text(".found"), want = await ask(() => {
    const { state } = sonde, tree = state.tree();
    const self = (n) => tree.self(n, state.mask.value, "nsec");
    let all = 0, sum = 0;
    for (let n = 0; n < tree.count; n++) {
      all += self(n);
      for (let at = n; at; at = tree.parent[at])
        if (/^mix|digits$/.test(tree.nodeName(at))) {
          sum += self(n);
          break;
        }
    }
    return (100 * sum) / all;
  });
  assert(Math.abs(parseFloat(said) - want) < 1, `${said}, not ${want}`);
  await page.keyboard.press("Escape");
  assert((await page.locator("#search").inputValue()) === "", "Escape did not clear it");
});

await test("a hand draws which calls are meant", async () => {
  const box = await page.locator(".plot .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 8 });
  await page.mouse.up();
  await until(() => sonde.state.bound.value.kind === "between" && sonde.state.isAnswered.value);
  const [said, counted, low, high, edge] = await ask(() => {
    const { state } = sonde, b = state.bound.value, s = state.span.value;
    let within = 0, edge = 0;
    for (const [from, to, n] of s.histogram) {
      if (from >= b.low && to <= b.high) within += n;
      else if (to > b.low && from < b.high) edge += n;
    }
    return [state.scene.value.picture.split.in.calls, within, b.low, b.high, edge];
  });
  assert(high > low && low > 0, `${low} to ${high}`);
  assert(said > 0 && said >= counted && said <= counted + edge,
         `${said} calls, of which the histogram has ${counted} to ${counted + edge}`);
  assert(/calls? of .* to /.test(await text(".histogram .caption")), await text(".histogram .caption"));
  await page.click("text=> p95");
  await until(() => sonde.state.isAnswered.value && sonde.state.bound.value.kind === "percentile");
});

await liveTest("time can be made to stand still", async () => {
  await page.keyboard.press(" ");
  await page.waitForSelector("text=paused");
  await until(() => sonde.state.question.value.until !== undefined);
  await settled();
  const first = await ask(() => sonde.state.scene.value.picture.samples);
  await page.waitForTimeout(1500);
  const second = await ask(() => sonde.state.scene.value.picture.samples);
  assert(first === second, `${first} samples, then ${second}`);
  await page.keyboard.press(" ");
  await until((n) => sonde.state.scene.value.picture.samples > n, first);
});

await test("a window of time can be chosen", async () => {
  await page.click("text=10 s");
  await until(() => {
    const w = sonde.state.scene.value.picture.window;
    return w.to_ns - w.from_ns <= 10.1e9;
  });
  await page.click("text=decay");
  await until(() => sonde.state.scene.value.picture.samples > 0 && sonde.state.isAnswered.value);
  await page.click(".segments >> text=all");
});

await liveTest("the finder begins with what has the most time", async () => {
  await page.keyboard.press("Control+p");
  await page.waitForSelector(".finder li");
  const rows = await page.locator(".finder li").allInnerTexts();
  assert(rows.some((r) => r.startsWith("handle_request") && r.includes("measured")), rows.join("\n"));
  const shares = rows.map((r) => parseFloat(r.match(/([\d.]+) %/)?.[1] ?? "0"));
  assert(shares.length > 4 && shares[0] > 10, shares.join(" "));
  await picture("finder");
});

await liveTest("and finds what was never sampled, with its price and how its end is seen", async () => {
  await page.keyboard.type("mallopt");
  await page.waitForSelector(".finder li.at >> text=libc:mallopt");
  const found = await text(".finder li.at");
  assert(/^libc:mallopt.*\d [nµ]s a call/s.test(found), found);
  assert(/The end of its calls is seen by/.test(await text(".finder .how")), await text(".finder .how"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("libc:*");
  await page.waitForSelector(".finder li.at", { state: "detached" }); // all are meant, not one
  await page.waitForSelector("text=/The first 50 of [\\d,]+ functions/");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("/(/");
  await page.waitForSelector(".finder .error");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.waitForSelector(".finder .error", { state: "detached" });
});

await liveTest("a function can be measured while it runs", async () => {
  await page.keyboard.type("parse_requ");
  await page.keyboard.press("Enter");
  await until(() => sonde.state.span.value?.place === "parse_request" && sonde.state.span.value.returned > 300);
  await until(() => /expand_table/.test(document.querySelector(".verdict")?.textContent ?? ""));
  await picture("measured");
});

await liveTest("the cause that is named is shown when it is clicked", async () => {
  await page.click(".verdict .cause >> text=expand_table");
  await until(() => sonde.state.tree().nodeName(sonde.state.view.value.node) === "expand_table");
  await page.keyboard.press("0");
});

await liveTest("and left, and what was seen of it stays", async () => {
  await page.click("[aria-label='measure parse_request no more']");
  await until(() => sonde.state.spans.value.some((s) => s.place === "parse_request" && s.removed));
  await page.waitForSelector("text=not measured any more");
  await page.click(".card >> text=handle_request");
  await page.click("[aria-label='do not show parse_request any more']");
  await page.waitForSelector(".card >> text=parse_request", { state: "detached" });
  await until(() => sonde.state.span.value.place === "handle_request" && sonde.state.isAnswered.value);
});

await liveTest("what cannot be measured is said, with what is near", async () => {
  await page.keyboard.press("Control+p");
  await page.keyboard.type("render_rowz");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".error");
  assert(/no function 'render_rowz'[^]*render_rows/.test(await text(".error")), await text(".error"));
  await page.click(".near >> text=render_rows");
  await page.waitForSelector(".finder li.at >> text=render_rows");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".sheet", { state: "detached" });
});

await test("all calls of a function can be seen as one", async () => {
  await page.keyboard.press("1");
  await page.keyboard.press("0");
  await clickFrame("mix_block");
  await page.keyboard.press("f");
  await until(() => sonde.state.focused.value !== null);
  const [name, count, total] = await ask(() => {
    const tree = sonde.state.tree();
    tree.orderChildren();
    const t = tree.totals(sonde.state.mask.value, "nsec");
    return [tree.nodeName(1), tree.childStart[1] - tree.childStart[0], t[0] / t[1]];
  });
  assert(name === "mix_block" && count === 1 && Math.abs(total - 1) < 1e-9, `${name} ${count} ${total}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await until(() => sonde.state.focused.value === null);
});

await test("the keyboard alone walks the graph", async () => {
  await ask(() => document.activeElement?.blur());
  await page.keyboard.press("1");
  await page.keyboard.press("0");
  await settled();
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
  const depth = await ask(() => sonde.state.tree().path(sonde.state.selected.value).length);
  assert(depth === 4, `${depth} frames deep`);
  await page.keyboard.press("Enter");
  await until(() => sonde.state.view.value.node === sonde.state.selected.value);
  await page.keyboard.press("?");
  await page.waitForSelector("[aria-label=keys]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
});

await test("a small window holds all of it", async () => {
  const over = await ask(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  assert(over[0] <= 1280 && over[1] <= 720, over.join(" x "));
  for (const button of await page.locator("header button, .graph .caption button, .histogram .caption button").all()) {
    const b = await button.boundingBox();
    assert(b && b.x >= 0 && b.x + b.width <= 1280 && b.height < 32, `${await button.innerText()}: ${JSON.stringify(b)}`);
  }
});

await test("it is dark where that is wished", async () => {
  const back = () => ask(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.emulateMedia({ colorScheme: "dark" });
  await settled();
  assert(light !== (await back()), light);
  const pixel = await ask(() => {
    const c = document.querySelector(".pinned canvas");
    return Array.from(c.getContext("2d").getImageData(c.width / 2, c.height - 3, 1, 1).data);
  });
  assert(pixel[0] < 60 && pixel[2] < 60, `the graph's background is ${pixel}`);
  await page.keyboard.press("5");
  await settled();
  await picture("dark");
  await page.emulateMedia({ colorScheme: "light" });
});

await test("a line that breaks is mended, and what is looked at stays", async () => {
  await page.keyboard.press("1");
  await clickFrame("parse_request");
  await settled();
  const name = () => ask(() => sonde.state.tree().nodeName(sonde.state.view.value.node));
  assert((await name()) === "parse_request", await name());
  const before = await ask(() => {
    const v = sonde.state.version.value;
    sonde.link.socket.close();
    return v;
  });
  await until((v) => sonde.link.state.value === "open" && sonde.state.version.value > v && sonde.state.isAnswered.value, before);
  await settled();
  assert((await name()) === "parse_request", await name());
  await page.keyboard.press("Escape");
  await settled();
});

await test("names are text, whatever they are", async () => {
  const hostile = '<img src=x onerror="window.harmed=1">';
  await ask((name) => {
    const { state } = sonde, tree = state.tree();
    for (let i = 0; i < tree.strings.length; i++) if (tree.strings[i] === "mix_block") tree.strings[i] = name;
    const s = structuredClone(state.scene.value);
    s.picture.target.comm = name;
    s.picture.split.verdict.text = `${name} '${name} > 4ms'`;
    for (const f of s.picture.functions) f.name += name;
    for (const one of s.picture.spans) one.place += name;
    state.scene.value = s;
    state.notice.value = { text: name, error: true };
    state.version.value++;
  }, hostile);
  await ask(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const seen = await ask(() => [document.querySelectorAll("img").length, window.harmed ?? 0, document.body.innerText]);
  assert(seen[0] === 0 && seen[1] === 0, "a name became an element");
  assert(seen[2].includes(hostile), "the name is not shown as it is");
});

if (!live) await test("it is said to be a recording, in which nothing can be measured", async () => {
  assert((await text(".state")) === "recording", await text(".state"));
  assert(!(await page.locator("text=Measure a function").count()), "a function can be measured");
  await page.keyboard.press("Control+p");
  await settled();
  assert(!(await page.locator(".sheet").count()), "the finder opened");
  await page.waitForSelector(".notice >> text=nothing can be measured in it");
  const said = await ask(() => sonde.link.verb("watch", { place: "mix_block" }).catch((e) => e.message));
  assert(/this is a recording/.test(said), said);
});

await test("nothing was asked of anybody else, and nothing complained", async () => {
  const origin = new URL(address).origin;
  const strange = asked.filter((u) => !u.startsWith(origin) && !u.startsWith(origin.replace("http", "ws")));
  assert(!strange.length, strange.join(" "));
  assert(!complaints.length, complaints.join("\n"));
});

await test("when sonde has gone, what was seen is still there", async () => {
  console.log("# end it now");
  await page.waitForSelector("text=connection lost", { timeout: WAIT });
  await page.waitForSelector(".verdict >> text=sonde does not answer");
  // what nobody would answer cannot be asked
  const before = await ask(() => JSON.stringify(sonde.state.bound.value));
  assert(await page.locator(".chip >> text=p99").first().isDisabled(), "a bound can be chosen");
  const plot = await page.locator(".u-over").boundingBox();
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  assert((await ask(() => JSON.stringify(sonde.state.bound.value))) === before, "a bound was chosen");
  assert((await ask(() => sonde.state.tree().count)) > 10, "the graph is gone");
});

await browser.close();
process.exitCode = failures ? 1 : 0;
