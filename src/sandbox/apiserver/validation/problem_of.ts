import { errorText } from "../../../base/mod.ts";

/** What is wrong with a text, as what reads it says; `undefined` if it can be read. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
