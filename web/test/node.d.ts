/** What tests use of Node.js. */
declare module "node:assert/strict" {
  const assert: {
    ok(value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(actual: string, expected: RegExp): void;
    throws(does: () => void, expected?: RegExp): void;
  };
  export default assert;
}
declare const process: { exitCode: number };
