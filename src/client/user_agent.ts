import { KUBERNETES_VERSION } from "../api/mod.ts";

/** The parts of a User-Agent. */
export interface UserAgentParts {
  /**
   * Becomes `managedFields[].manager` in the client's writes: at most 128 printable ASCII characters, without spaces or
   * slashes. A drop-in replacement must keep upstream's, `kube-controller-manager`.
   */
  readonly program: string;
  /** Default: the Kubernetes version whose behaviour kubeloop has. */
  readonly version?: string;
  /** Commit of the build; its first seven characters are sent. */
  readonly commit?: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

/** The API server uses the part before the first slash as the field manager, whose length it limits. */
const PROGRAM = /^[!-.0-~]{1,128}$/;

/**
 * The User-Agent of the client called `name`. Upstream: `client-go/rest/config.go` (DefaultKubernetesUserAgent).
 *
 * @throws {TypeError} If the program's name is not valid in one.
 *
 * @example
 * ```ts
 * import { userAgent } from "kubeloop/client";
 * import { assertMatch } from "@std/assert";
 *
 * const text = userAgent("job-controller", { program: "manager", version: "v1.36.1-rc.0", commit: "abcdef1234" });
 * assertMatch(text, /^manager\/v1\.36\.1 \(\w+\/\w+\) kubernetes\/abcdef1\/job-controller$/);
 * ```
 */
export function userAgent(name: string, parts: UserAgentParts): string {
  const { program, version = KUBERNETES_VERSION, commit = "unknown" } = parts;
  if (!PROGRAM.test(program)) {
    const wanted = "it must be 1 to 128 printable ASCII characters without spaces and slashes";
    throw new TypeError(`Cannot call a program ${JSON.stringify(program)}: ${wanted}`);
  }
  const platform = `${Deno.build.os}/${ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch}`;
  const release = version.split("-")[0];
  return `${program}/${release} (${platform}) kubernetes/${commit.slice(0, 7)}/${name}`;
}
