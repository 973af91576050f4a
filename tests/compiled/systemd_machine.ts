/** A real systemd as process 1 of a container that shares this machine's programs and network, by systemd-nspawn. */
import { eventually, Process } from "../controlplane/process.ts";

/** Users and groups that systemd's own services look for. */
const USERS = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
const GROUPS = "root:x:0:\nadm:x:4:\ntty:x:5:\nshadow:x:42:\nutmp:x:43:\nsystemd-journal:x:101:\nnogroup:x:65534:\n";

export class SystemdMachine implements AsyncDisposable {
  /** Where its own files lie; `/usr` is this machine's. */
  readonly root: string;
  readonly #nspawn: Process;
  #leader = 0;

  private constructor(root: string, nspawn: Process) {
    this.root = root;
    this.#nspawn = nspawn;
  }

  /** @returns Why none can boot here, if so. */
  static async whyNot(): Promise<string | undefined> {
    if (Deno.uid() !== 0) return "only root can boot it";
    for (const program of ["systemd-nspawn", "nsenter"]) {
      try {
        await new Deno.Command(program, { args: ["--version"] }).output();
      } catch {
        return `${program} is not installed`;
      }
    }
    try {
      await using _machine = await SystemdMachine.boot({});
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Boots one whose `/usr/local/bin` holds `programs`, paths by their names, and waits until it is up. */
  static async boot(programs: Readonly<Record<string, string>>): Promise<SystemdMachine> {
    // Below /var: a container hides its own /tmp and /run.
    const root = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "kubeloop-systemd-" });
    // For others than root, too, it is what everything lies in.
    await Deno.chmod(root, 0o755);
    const bin = `${root}/opt/local/bin`;
    for (const folder of ["etc/systemd/system", "usr", "var", "run", "proc", "sys", "dev", "tmp", "opt/local/bin"]) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    }
    for (const folder of ["bin", "sbin", "lib", "lib64"]) await Deno.symlink(`usr/${folder}`, `${root}/${folder}`);
    await Deno.copyFile("/etc/os-release", `${root}/etc/os-release`);
    await Deno.writeTextFile(`${root}/etc/passwd`, USERS);
    await Deno.writeTextFile(`${root}/etc/group`, GROUPS);
    // A machine that has one has booted before, and enables nothing.
    await Deno.writeTextFile(`${root}/etc/machine-id`, `${crypto.randomUUID().replaceAll("-", "")}\n`);
    for (const [name, path] of Object.entries(programs)) await Deno.copyFile(path, `${bin}/${name}`);
    const nspawn = new Process("systemd", "systemd-nspawn", {
      args: [
        `--directory=${root}`,
        "--bind-ro=/usr",
        `--bind-ro=${root}/opt/local:/usr/local`,
        // This machine may have no systemd of its own to ask.
        "--register=no",
        "--keep-unit",
        "--capability=all",
        "--console=pipe",
        "--boot",
        // It logs every notification that it gets.
        ...["--", "--unit=basic.target", "--log-level=debug", "--log-target=journal"],
      ],
    });
    const machine = new SystemdMachine(root, nspawn);
    try {
      await machine.#booted();
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #booted(): Promise<void> {
    await eventually("systemd is up", async () => {
      const { exit, output, pid } = this.#nspawn;
      if (exit) return true;
      const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
      this.#leader = Number(children.trim().split(" ")[0]);
      if (!this.#leader) throw new Error(`it has not begun: ${output}`);
      const state = (await this.run("systemctl", "show", "--property=SystemState", "--value")).trim();
      if (state === "running" || state === "degraded") return true;
      throw new Error(`it is ${state}: ${output}`);
    });
    const { exit, output } = this.#nspawn;
    if (exit) throw new Error(`systemd cannot boot here, systemd-nspawn ended with ${exit.code}: ${output.trim()}`);
  }

  /**
   * Runs a program in it.
   *
   * @returns What it printed.
   * @throws {Error} If it fails, with what it said.
   */
  async run(program: string, ...args: string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("nsenter", {
      args: [`--target=${this.#leader}`, "--all", program, ...args],
      env: { SYSTEMD_PAGER: "", NO_COLOR: "1", LC_ALL: "C" },
    }).output();
    const text = new TextDecoder();
    if (!success) throw new Error(`${program} ${args.join(" ")}: ${text.decode(stdout)}${text.decode(stderr)}`.trim());
    return text.decode(stdout);
  }

  /** Properties of a unit. */
  async show(unit: string, ...names: string[]): Promise<Record<string, string>> {
    const text = await this.run("systemctl", "show", unit, ...names.map((name) => `--property=${name}`));
    return Object.fromEntries(
      text.trim().split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
  }

  /** What a unit printed, and what systemd said of it. */
  journal(unit: string): Promise<string> {
    return this.run("journalctl", `--unit=${unit}`, "--output=cat", "--quiet");
  }

  /** What systemd was told by a unit's process. */
  async notifications(unit: string): Promise<string[]> {
    const journal = await this.journal(unit);
    return [...journal.matchAll(/Got notification message from PID \d+ \((.*)\)/g)].map(([, message]) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // That halts it; the second time at once.
    await this.#nspawn.stop({ signal: "SIGTERM", graceMs: 20_000 });
    await Deno.remove(this.root, { recursive: true });
  }
}
