import type { Flags } from "../flags.ts";
import type { FileOrigin } from "./rotating_files.ts";

/** The file of each flag. `rootCaText` was read and checked when the process started, or comes from its kubeconfig. */
export function fileOrigins(
  flags: Flags,
  { rootCaText }: { readonly rootCaText: string },
): (flag: string) => FileOrigin {
  return (flag) => flag === "root-ca-file" ? { text: rootCaText } : { path: flags.string(flag) };
}
