/* Added behind the script of plain.svg by svg_act.sh: uses the flame graph as
 * a person would, prints TAP into an element that the test reads. */
(function () {
	const svg = document.documentElement, tap = [];
	const groups = Array.from(svg.querySelectorAll("#frames > g"));
	const name = function (g) { return g.querySelector("title").textContent.split("\n")[0]; };
	const find = function (n) { return groups.find(function (g) { return name(g) === n; }); };
	const width = function (n) { return +find(n).querySelector("rect").getAttribute("width"); };
	const shown = function (n) { return find(n).style.display !== "none"; };
	const click = function (n) { find(n).dispatchEvent(new MouseEvent("click", { bubbles: true })); };
	const key = function (k, ctrl) {
		window.dispatchEvent(new KeyboardEvent("keydown", { key: k, ctrlKey: !!ctrl, cancelable: true }));
	};
	const box = svg.querySelector("#search"), matched = function () { return svg.querySelector("#matched").textContent; };
	const type = function (s) { box.value = s; box.dispatchEvent(new Event("input")); };
	const check = function (what, ok, is) {
		tap.push((ok ? "ok " : "not ok ") + (tap.length + 1) + " - " + what + (ok ? "" : " # " + is));
	};
	const whole = width("all"), parse = width("parse_request");

	check("the root fills the window", Math.abs(whole - (svg.getBoundingClientRect().width - 28)) < 1, whole);
	click("render_rows");
	check("a clicked frame fills the width", Math.abs(width("render_rows") - whole) < 0.01, width("render_rows"));
	check("its callers stay, dimmed", shown("worker") && find("worker").classList.contains("around"), "");
	check("what it is not part of goes", !shown("parse_request") && shown("py::render"), "");
	check("labels are fitted anew", find("shop::Cache::find(std::string const&)").querySelector("text").textContent.indexOf("…") < 0, "");
	check("the address remembers", /#x=[\d.]+&y=\d+/.test(location.hash), location.hash);
	svg.querySelector("#reset").click();
	check("reset shows everything", shown("parse_request") && Math.abs(width("parse_request") - parse) < 0.01, "");
	check("and the address is clean", location.hash === "", location.hash);
	click("render_rows");
	key("Escape");
	check("Escape shows everything, too", shown("parse_request") && Math.abs(width("parse_request") - parse) < 0.01, "");
	check("and its address is clean", location.hash === "", location.hash);
	type("parse_request|expand_table");
	/* expand_table is called by parse_request, and by others too */
	check("a match within a match counts once", matched() === "Matched: " + EXPECTED + " %", matched());
	check("the search is in the address", location.hash.indexOf("s=parse_request") > 0, location.hash);
	type("samples");
	check("titles are not searched, only names", matched() === "Matched: 0.0 %", matched());
	type("RENDER_rows");
	check("case matters", matched() === "Matched: 0.0 %", matched());
	key("i", true);
	check("until Ctrl-I", matched() !== "Matched: 0.0 %", matched());
	type("((");
	check("a broken expression is said", box.classList.contains("wrong"), "");
	key("Escape");
	check("Escape clears the search", box.value === "" && matched() === "", box.value);
	type("write");
	click("render_rows");
	key("Escape");
	check("Escape takes back the zoom that came last", shown("parse_request") && box.value === "write", box.value);
	click("render_rows");
	type("writ");
	key("Escape");
	check("and the search that came last", !shown("parse_request") && box.value === "", box.value);
	key("Escape");
	check("and what was before", shown("parse_request"), "");
	key("f", true);
	check("Ctrl-F goes to the search", document.activeElement === box, "");
	box.blur();
	key("F3");
	check("and so does F3", document.activeElement === box, "");
	find("write").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
	check("pointing shows details", /^write   [\d,]+ samples?, [\d.]+ % of all/.test(svg.querySelector("#details").textContent), svg.querySelector("#details").textContent);
	tap.push("1.." + tap.length);
	svg.setAttribute("data-tap", tap.join("|"));
})();
