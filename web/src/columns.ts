/** Columns that grow: typed arrays with room to spare. */

type Column = Uint32Array | Float32Array;

/** The column itself if it has room for `count`, else a larger one with the same contents. */
export function withRoom<C extends Column>(column: C, count: number): C {
  if (column.length >= count) return column;
  const room = Math.max(count, column.length * 2, 256);
  const made = new (column.constructor as new (length: number) => C)(room);
  made.set(column as never);
  return made;
}
