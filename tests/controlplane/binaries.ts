// deno-lint-ignore-file no-console -- it is there to print
/**
 * The upstream programs that cluster tests run against: taken from `$KUBEBUILDER_ASSETS` as they are, else built once from the
 * versions that `go.mod` pins into a cache folder outside the repository.
 */
import { basename, dirname, fromFileUrl } from "@std/path";
import { goBuild } from "./go_build.ts";

const HERE = dirname(fromFileUrl(import.meta.url));

const PACKAGES = {
  "etcd": "go.etcd.io/etcd/server/v3",
  "kubectl": "k8s.io/kubernetes/cmd/kubectl",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
} as const;

export type Binary = keyof typeof PACKAGES;

/** The Kubernetes version that `go.mod` pins: `v1.36.3`. */
export async function pinnedVersion(): Promise<string> {
  const match = /k8s\.io\/kubernetes (v[\d.]+)/.exec(await Deno.readTextFile(`${HERE}/go.mod`));
  if (!match) throw new Error("tests/controlplane/go.mod does not require k8s.io/kubernetes");
  return match[1];
}

/** Where what takes long to make is kept, outside the repository. */
export function cacheFolder(): string {
  return `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/kubeloop`;
}

/** Where the programs are, or would be built. */
export async function assetsFolder(): Promise<string> {
  return Deno.env.get("KUBEBUILDER_ASSETS") ?? `${cacheFolder()}/controlplane/${await pinnedVersion()}`;
}

async function isExecutable(path: string): Promise<boolean> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info?.isFile === true && ((info.mode ?? 0) & 0o111) !== 0;
}

/** The programs that are not in `folder`. */
export async function missingBinaries(folder: string): Promise<Binary[]> {
  const names = Object.keys(PACKAGES) as Binary[];
  const present = await Promise.all(names.map((name) => isExecutable(`${folder}/${name}`)));
  return names.filter((_, i) => !present[i]);
}

/**
 * Builds what is missing in `folder` with one `go build`, so that one program is linked while the next is compiled: some minutes on two
 * cores the first time, nothing afterwards.
 *
 * @throws {Error} If Go is not installed or a build fails; the message holds the compiler's last lines.
 */
export async function buildBinaries(folder: string, say: (line: string) => void): Promise<void> {
  const missing = await missingBinaries(folder);
  if (missing.length === 0) return;
  const version = await pinnedVersion();
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version)!;
  const stamp = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" })
    .map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`).join(" ");
  say(`building ${missing.join(", ")} ${version}`);
  const unfinished = `${folder}/.unfinished.${Deno.pid}`;
  await Deno.mkdir(unfinished, { recursive: true });
  try {
    const packages = missing.map((name) => PACKAGES[name]);
    await goBuild({ cwd: HERE, packages, output: `${unfinished}/`, ldflags: stamp, env: { GOFLAGS: "-mod=mod" } });
    for (const name of missing) await Deno.rename(`${unfinished}/${builtName(name)}`, `${folder}/${name}`);
  } finally {
    await Deno.remove(unfinished, { recursive: true });
  }
}

/** What `go build` calls it: the last part of the package's path that is no version. */
function builtName(name: Binary): string {
  return basename(PACKAGES[name].replace(/\/v\d+$/, ""));
}

if (import.meta.main) {
  const folder = await assetsFolder();
  await buildBinaries(folder, console.error);
  console.log(folder);
}
