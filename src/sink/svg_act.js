(function () {
	"use strict";
	const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
	const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
	const details = svg.querySelector("#details");
	const PAD = 14, BASE = svg.viewBox.baseVal.width - 2 * PAD;

	/* Frames are in preorder: the subtree of i is [i, i.end). */
	const frames = Array.from(svg.querySelectorAll("#frames > g"), function (g) {
		const rect = g.querySelector("rect"), label = g.querySelector("text");
		const title = g.querySelector("title").textContent;
		return {
			g: g, rect: rect, label: label, title: title, name: title.split("\n", 1)[0],
			x: +rect.getAttribute("x") - PAD, y: +rect.getAttribute("y"),
			w: +rect.getAttribute("width"), end: 0,
		};
	});
	(function () {
		const open = [];
		frames.forEach(function (f, i) {
			while (open.length && frames[open[open.length - 1]].y <= f.y)
				frames[open.pop()].end = i;
			open.push(i);
		});
		open.forEach(function (i) { frames[i].end = frames.length; });
	})();

	let width = BASE, zoomed = 0, term = "", anyCase = false, part = null;
	let searchedLast = false; /* after the zoom: Escape takes it back first */

	/* The label font is monospaced: one measurement serves every label. */
	const advance = (function () {
		const probe = document.createElementNS(SVG, "text");
		probe.textContent = "MMMMMMMMMM";
		svg.querySelector("#frames").appendChild(probe);
		const w = probe.getComputedTextLength() / 10;
		probe.remove();
		return w || 6.625;
	})();

	function fit(f, x, w) {
		const room = Math.floor((w - 6) / advance);
		if (room < 3) {
			if (f.label) f.label.style.display = "none";
			return;
		}
		if (!f.label) {
			f.label = document.createElementNS(SVG, "text");
			f.label.setAttribute("y", f.y + 12);
			f.g.appendChild(f.label);
		}
		const chars = Array.from(f.name.slice(0, 2 * room + 2));
		f.label.style.display = "";
		f.label.setAttribute("x", x + 4);
		f.label.textContent = chars.length > room ? chars.slice(0, room - 1).join("") + "…" : chars.join("");
	}

	function place() {
		const z = frames[zoomed], scale = width / z.w;
		frames.forEach(function (f, i) {
			const around = i < zoomed && f.end > zoomed;
			const x = around ? 0 : (f.x - z.x) * scale, w = around ? width : f.w * scale;
			const shown = around || (i >= zoomed && i < z.end && w >= .1);
			f.g.style.display = shown ? "" : "none";
			if (!shown) return;
			f.g.classList.toggle("around", around);
			f.g.classList.toggle("w", w >= 4);
			f.rect.setAttribute("x", PAD + x);
			f.rect.setAttribute("width", w);
			fit(f, PAD + x, w);
		});
		reset.disabled = !zoomed;
	}

	function link() {
		const q = new URLSearchParams();
		if (zoomed) {
			q.set("x", frames[zoomed].x.toFixed(4));
			q.set("y", frames[zoomed].y);
		}
		if (term) q.set("s", term);
		if (term && anyCase) q.set("i", "1");
		try {
			history.replaceState(null, "", location.pathname + (q.toString() ? "#" + q : ""));
		} catch (e) { /* a sandboxed frame has no address to change */ }
	}

	function zoom(i) {
		zoomed = i;
		searchedLast = false;
		place();
		count();
		link();
	}

	/* Share of frames [from, to) that match: what is inside a match is skipped,
	 * so nothing counts twice. */
	function matched(from, to) {
		let sum = 0;
		for (let i = from; i < to;) {
			const hit = frames[i].hit;
			if (hit) sum += frames[i].w;
			i = hit ? frames[i].end : i + 1;
		}
		return 100 * sum / frames[from].w;
	}

	function count() {
		part.textContent = "";
		if (!term) return;
		part.textContent = "Matched: " + matched(0, frames.length).toFixed(1) + " %" +
			(zoomed ? " (of the zoomed: " + matched(zoomed, frames[zoomed].end).toFixed(1) + " %)" : "");
	}

	function search(what) {
		let re = null;
		term = what;
		searchedLast = true;
		box.classList.remove("wrong");
		try {
			re = what ? new RegExp(what, anyCase ? "i" : "") : null;
		} catch (e) {
			box.classList.add("wrong");
		}
		frames.forEach(function (f) {
			f.hit = !!re && re.test(f.name);
			f.g.classList.toggle("match", f.hit);
		});
		svg.classList.toggle("searched", !!re);
		clear.disabled = !what;
		count();
		link();
	}

	function html(tag, attributes, text, act) {
		const e = document.createElementNS(HTML, tag);
		Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
		if (text) e.textContent = text;
		if (act) e.addEventListener("click", act);
		return e;
	}

	function toggleCase() {
		anyCase = !anyCase;
		aa.setAttribute("aria-pressed", anyCase);
		search(term);
	}

	function setSearch(what) {
		box.value = what;
		search(what);
	}

	const place_of_bar = document.createElementNS(SVG, "foreignObject");
	const bar = html("div", { "class": "bar" });
	const reset = html("button", { type: "button", id: "reset", title: "Escape" }, "Reset zoom", function () { zoom(0); });
	const box = html("input", { type: "text", id: "search", placeholder: "Search, Ctrl-F", spellcheck: "false",
		autocomplete: "off", "aria-label": "search functions by regular expression" });
	const aa = html("button", { type: "button", id: "case", title: "ignore case: Ctrl-I", "aria-pressed": "false" }, "aA", toggleCase);
	const clear = html("button", { type: "button", id: "clear", title: "Escape" }, "Clear", function () { setSearch(""); });
	box.addEventListener("input", function () { search(box.value); });
	bar.append(reset, clear, box, aa);
	place_of_bar.setAttribute("y", 10);
	place_of_bar.setAttribute("height", 30);
	place_of_bar.appendChild(bar);
	svg.appendChild(place_of_bar);
	part = document.createElementNS(SVG, "text");
	part.id = "matched";
	part.setAttribute("text-anchor", "end");
	part.setAttribute("y", 86);
	svg.appendChild(part);

	function resize() {
		const whole = Math.max(svg.getBoundingClientRect().width, 480);
		width = whole - 2 * PAD;
		place_of_bar.setAttribute("x", Math.max(whole - PAD - 480, PAD));
		place_of_bar.setAttribute("width", Math.min(480, whole - 2 * PAD));
		part.setAttribute("x", whole - PAD);
		place();
	}

	function frame_at(target) {
		const g = target.closest ? target.closest("#frames > g") : null;
		return g ? frames.findIndex(function (f) { return f.g === g; }) : -1;
	}

	svg.addEventListener("click", function (e) {
		const i = frame_at(e.target);
		if (i >= 0) zoom(i);
	});
	svg.addEventListener("mouseover", function (e) {
		const i = frame_at(e.target);
		details.textContent = i >= 0 ? frames[i].title.split("\n").join("   ") : "\u00a0";
	});
	window.addEventListener("keydown", function (e) {
		if (e.key === "F3" || ((e.ctrlKey || e.metaKey) && e.key === "f")) {
			e.preventDefault();
			box.focus();
			box.select();
		} else if ((e.ctrlKey || e.metaKey) && e.key === "i") {
			e.preventDefault();
			toggleCase();
		} else if (e.key === "Escape") {
			if (term && (searchedLast || !zoomed)) setSearch("");
			else zoom(0);
		}
	});
	window.addEventListener("resize", resize);

	svg.classList.add("live");
	svg.removeAttribute("viewBox");
	svg.setAttribute("width", "100%");
	resize();

	const q = new URLSearchParams(location.hash.slice(1) || location.search);
	if (q.has("x") && q.has("y")) {
		const i = frames.findIndex(function (f) {
			return Math.abs(f.x - q.get("x")) < 1e-3 && f.y === +q.get("y");
		});
		if (i > 0) zoom(i);
	}
	anyCase = q.has("i");
	aa.setAttribute("aria-pressed", anyCase);
	setSearch(q.get("s") || "");
})();
