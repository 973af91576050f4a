/** How an exec plugin is to be run. */
export interface ExecRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Besides the variables of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly interactive: boolean;
}

/** Runs a command to its end; its errors go to our own standard error. */
export type ExecRunner = (request: ExecRequest) => Promise<{ readonly code: number; readonly stdout: string }>;

/** Runs a real process. */
export const runProcess: ExecRunner = async ({ command, args, env, interactive }) => {
  const process = new Deno.Command(command, {
    args: [...args],
    env,
    stdin: interactive ? "inherit" : "null",
    stdout: "piped",
    stderr: "inherit",
  });
  const { code, stdout } = await process.output();
  return { code, stdout: new TextDecoder().decode(stdout) };
};
