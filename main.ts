import { runCommand } from "./src/cli/mod.ts";

if (import.meta.main) Deno.exit(await runCommand(Deno.execPath(), Deno.args));
