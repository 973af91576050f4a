/** Building programs in Go, for tests alone: in as little processor time as it takes to compile them well. */

export interface GoBuild {
  /** The folder of the module. */
  readonly cwd: string;
  readonly packages: readonly string[];
  /** A file, or a folder with a slash at its end. */
  readonly output: string;
  /** More for the linker. */
  readonly ldflags?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The compiler's garbage takes a sixth of its time, and where memory is dear, never to collect it costs as much. */
const WITH_RARE_COLLECTIONS = { GOGC: "400" };

/**
 * Runs `go build`.
 *
 * @throws {Error} If Go is not installed or the build fails; the message holds the compiler's last lines.
 */
export async function goBuild({ cwd, packages, output, ldflags = "", env = {} }: GoBuild): Promise<void> {
  // Nobody debugs them; told the same for all, packages are compiled once. Processors are kept busy by packages, not by parts of one.
  const flags = ["-gcflags=all=-dwarf=false -c=1", `-ldflags=-s -w ${ldflags}`];
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-trimpath", ...flags, "-o", output, ...packages],
    cwd,
    env: { CGO_ENABLED: "0", ...WITH_RARE_COLLECTIONS, ...env },
  }).output();
  if (!success) throw new Error(`go build failed: ${new TextDecoder().decode(stderr).slice(-2000)}`);
}
