import { fromFileUrl } from "@std/path";

/** Source folders by Go module. */
export type ModuleFolders = ReadonlyMap<string, string>;

const PINS = fromFileUrl(new URL("../../tests/controlplane/", import.meta.url));

/** Those whose sources are read. */
const MODULES = [
  "k8s.io/kubernetes",
  "k8s.io/api",
  "k8s.io/apimachinery",
  "k8s.io/apiextensions-apiserver",
  "k8s.io/client-go",
  "k8s.io/kube-aggregator",
];

/**
 * Where the sources of Kubernetes are, in the versions that `tests/controlplane/go.mod` pins; downloaded if they are not there yet.
 *
 * @throws {Error} If Go is not installed or cannot download a module.
 */
export async function moduleFolders(): Promise<ModuleFolders> {
  const args = ["mod", "download", "-json", ...MODULES];
  const { success, stdout, stderr } = await new Deno.Command("go", { args, cwd: PINS }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (!success) throw new Error(`Cannot download ${MODULES.join(", ")}: ${text(stderr) || text(stdout)}`);
  // One object follows the other, each over several lines.
  const rows: readonly { readonly Path: string; readonly Dir: string }[] = JSON.parse(
    `[${text(stdout).replaceAll(/^\}\n\{/gm, "},{")}]`,
  );
  return new Map(rows.map(({ Path, Dir }) => [Path, Dir]));
}
