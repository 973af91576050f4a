/** What a program printed, and how it ended. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, with this text as its input; without one it has none. */
export async function runProgram(
  program: string,
  { args, env, input }: {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
  },
): Promise<Printed> {
  const child = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
