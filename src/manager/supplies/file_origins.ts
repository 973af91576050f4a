import type { Flags } from "../flags.ts";
import type { FileOrigin } from "./rotating_files.ts";

/** Where the file of each flag is. `rootCaText` is read and checked when the process starts, or comes from its kubeconfig. */
export function fileOrigins(
  flags: Flags,
  { rootCaText }: { readonly rootCaText: string },
): (flag: string) => FileOrigin {
  return (flag) => flag === "root-ca-file" ? { text: rootCaText } : { path: flags.string(flag) };
}
