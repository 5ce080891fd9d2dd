/** Light or dark, as the system wants it. */
import { signal } from "@preact/signals";

const query = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(query.matches);
query.addEventListener("change", () => (dark.value = query.matches));

export const still = matchMedia("(prefers-reduced-motion: reduce)");
