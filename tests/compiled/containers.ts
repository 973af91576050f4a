/** Images of `manifests/Containerfile` and containers of them, by podman. */
import { dirname, fromFileUrl } from "@std/path";
import { Process } from "../controlplane/process.ts";
import { manifestPath } from "../unit/manifests/reading.ts";

/** A small limit works where a process may not raise its own; runc knows more machines than podman's default does. */
const ENGINE = `
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
`;

const RUNC = `
[engine]
runtime = "runc"
`;

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], env }).output();
  const text = new TextDecoder();
  return { code, out: text.decode(stdout).trim(), err: text.decode(stderr).trim() };
}

/** podman with a base image. */
export class Containers {
  readonly #base: string;
  readonly #env: Record<string, string>;

  private constructor(base: string, env: Record<string, string>) {
    this.#base = base;
    this.#env = env;
  }

  /** @returns Why there is none here, if so. */
  static async find(): Promise<Containers | string> {
    try {
      await run("podman", ["--version"]);
    } catch {
      return "podman is not installed";
    }
    const made = await run("bash", [fromFileUrl(new URL("../../.ci/container_base", import.meta.url))]);
    if (made.code !== 0) return `no base image can be made here: ${made.err.split("\n").at(-1)}`;
    const config = await Deno.makeTempFile({ prefix: "kubeloop-containers-", suffix: ".conf" });
    const hasRunc = await run("runc", ["--version"]).then(() => true, () => false);
    globalThis.addEventListener("unload", () => Deno.removeSync(config));
    await Deno.writeTextFile(config, hasRunc ? ENGINE + RUNC : ENGINE);
    const containers = new Containers(made.out, { CONTAINERS_CONF: config });
    // The only program of the base.
    const { code, err } = await containers.podman("run", "--rm", made.out, "/lib64/ld-linux-x86-64.so.2", "--version");
    return code === 0 ? containers : `containers cannot be started here: ${err}`;
  }

  podman(...args: string[]): Promise<Outcome> {
    return run("podman", args, this.#env);
  }

  /** Builds a target of the Containerfile around `executable`; removed with what this returns. */
  async build(executable: string, target?: string): Promise<AsyncDisposable & { readonly name: string }> {
    const context = await Deno.makeTempDir({ prefix: "kubeloop-image-" });
    const name = `localhost/kubeloop-test-${crypto.randomUUID()}`;
    try {
      const copy = `${context}/dist/kubeloop`;
      await Deno.mkdir(dirname(copy));
      await Deno.copyFile(executable, copy);
      const args = [
        "build",
        `--build-arg=BASE=${this.#base}`,
        `--file=${manifestPath("Containerfile")}`,
        `--tag=${name}`,
      ];
      await this.#must(...args, ...target ? [`--target=${target}`] : [], context);
    } finally {
      await Deno.remove(context, { recursive: true });
    }
    return { name, [Symbol.asyncDispose]: () => this.#must("rmi", "--force", name) };
  }

  /** Starts a container in this machine's network, `args` being those of `podman run`; it is gone with what this returns. */
  start(...args: string[]): AsyncDisposable & { readonly process: Process } {
    const name = `kubeloop-test-${crypto.randomUUID()}`;
    const command = ["run", "--rm", "--network=host", `--name=${name}`, ...args];
    const process = new Process("container", "podman", { args: command, env: this.#env });
    return {
      process,
      [Symbol.asyncDispose]: async () => {
        await this.#must("rm", "--force", "--ignore", name);
        await process[Symbol.asyncDispose]();
      },
    };
  }

  async #must(...args: string[]): Promise<void> {
    const { code, err } = await this.podman(...args);
    if (code !== 0) throw new Error(`podman ${args.join(" ")} ended with ${code}: ${err}`);
  }
}
