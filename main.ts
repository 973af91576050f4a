import { invokedAs, runCommand, trustSystemRoots } from "./src/cli/mod.ts";

if (import.meta.main) {
  trustSystemRoots();
  Deno.exit(await runCommand(invokedAs(), Deno.args));
}
