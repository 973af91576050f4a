import { invokedAs, runCommand } from "./src/cli/mod.ts";

if (import.meta.main) Deno.exit(await runCommand(invokedAs(), Deno.args));
