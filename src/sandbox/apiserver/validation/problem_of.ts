import { errorText } from "../../../base/mod.ts";

/** The message of the error that `read` throws; `undefined` if it succeeds. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
