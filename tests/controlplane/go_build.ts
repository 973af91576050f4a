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

/** The compiler's garbage takes a sixth of its time. */
const WITH_RARE_COLLECTIONS = { GOGC: "off", GOMEMLIMIT: "2GiB" };

/**
 * Runs `go build`.
 *
 * @throws {Error} If Go is not installed or the build fails; the message holds the compiler's last lines.
 */
export async function goBuild({ cwd, packages, output, ldflags = "", env = {} }: GoBuild): Promise<void> {
  // Nobody debugs them; told the same for all, packages are compiled once.
  const withoutDebugging = ["-gcflags=all=-dwarf=false", `-ldflags=-s -w ${ldflags}`];
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-trimpath", ...withoutDebugging, "-o", output, ...packages],
    cwd,
    env: { CGO_ENABLED: "0", ...WITH_RARE_COLLECTIONS, ...env },
  }).output();
  if (!success) throw new Error(`go build failed: ${new TextDecoder().decode(stderr).slice(-2000)}`);
}
