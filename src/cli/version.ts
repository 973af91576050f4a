import { KUBERNETES_VERSION, VERSION } from "../api/mod.ts";
import build from "./build.json" with { type: "json" };

/** The text of `kubeloop version`: what this is, what it was built from, and what it runs on. */
export function versionText({ commit, date }: { readonly commit: string; readonly date: string } = build): string {
  const { deno, v8 } = Deno.version;
  return [
    `kubeloop ${VERSION} (Kubernetes ${KUBERNETES_VERSION})`,
    date === "" ? "run from source" : `built from commit ${commit || "unknown"} of ${date}`,
    `Deno ${deno}, V8 ${v8}`,
  ].join("\n");
}

const GO_ARCHITECTURES: Readonly<Record<typeof Deno.build.arch, string>> = { x86_64: "amd64", aarch64: "arm64" };

/**
 * The text of a manager's `--version`.
 *
 * @param flag Its value; `raw` prints everything in Go's format.
 */
export function kubernetesVersionText(flag: string): string {
  if (flag !== "raw") return `Kubernetes ${KUBERNETES_VERSION}`;
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(KUBERNETES_VERSION)!;
  const fields = {
    Major: major,
    Minor: minor,
    EmulationMajor: "",
    EmulationMinor: "",
    MinCompatibilityMajor: "",
    MinCompatibilityMinor: "",
    GitVersion: KUBERNETES_VERSION,
    GitCommit: build.commit,
    GitTreeState: "",
    BuildDate: build.date,
    GoVersion: "",
    Compiler: "v8",
    Platform: `${Deno.build.os}/${GO_ARCHITECTURES[Deno.build.arch]}`,
  };
  return `version.Info{${Object.entries(fields).map(([name, text]) => `${name}:${JSON.stringify(text)}`).join(", ")}}`;
}
