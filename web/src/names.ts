/** Names of functions that have to fit. */

/** The end of a bracket that opens at i, or the text's end. */
function closing(name: string, i: number): number {
  const open = name[i], close = open === "<" ? ">" : ")";
  let depth = 0;
  for (let at = i; at < name.length; at++) {
    if (name[at] === open) depth++;
    else if (name[at] === close && --depth === 0 && name[at - 1] !== "-") return at + 1;
  }
  return name.length;
}

/** f(int, char) const -> f; (anonymous namespace) and operator() stay. */
export function withoutArguments(name: string): string {
  let made = "";
  for (let i = 0; i < name.length; ) {
    if (name[i] !== "(" || i === 0 || name.startsWith("(anonymous namespace)", i) ||
        name.startsWith("operator()", i - 8)) {
      const step = name.startsWith("operator()", i - 8) ? 2 : 1;
      made += name.slice(i, i + step);
      i += step;
      continue;
    }
    const end = closing(name, i);
    const after = name.slice(end);
    i = end;
    if (/^( const| volatile| &&?| noexcept)+$/.test(after)) break;
  }
  return made;
}

/** vector<int, allocator<int>> -> vector<…>; operator<, <- and -> are no brackets. */
export function withoutTemplates(name: string): string {
  let made = "";
  for (let i = 0; i < name.length; ) {
    const operator = /operator\s*$/.test(made);
    if (name[i] !== "<" || operator || i === 0) {
      made += name[i++];
      continue;
    }
    made += "<…>";
    i = closing(name, i);
  }
  return made;
}

/** What can be had in so many characters, the function's own name last to go; "" = nothing. */
export function shorten(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < 3) return "";
  let short = withoutArguments(name);
  if (short.length <= room) return short;
  short = withoutTemplates(short);
  if (short.length <= room) return short;
  const scope = short.lastIndexOf("::");
  if (scope > 0) {
    const own = short.slice(scope + 2);
    if (own.length + 1 <= room) return "…" + short.slice(short.length - (room - 1));
    short = own;
  }
  return short.slice(0, room - 1) + "…";
}
