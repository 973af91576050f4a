/**
 * Serves the emulator on 127.0.0.1 with two servers in a network, and prints its address as a line of JSON.
 * Arguments: port (default any), milliseconds that actions take (default 200), requests an hour (default 3600).
 */
import { HcloudEmulator } from "./emulator.ts";

if (import.meta.main) {
  const [port = 0, actionMs = 200, limit = 3600] = Deno.args.map(Number);
  const emulator = new HcloudEmulator({ nowMs: () => Date.now(), actionMs, limit });
  const network = emulator.project.addNetwork("cluster");
  for (const [i, name] of ["node-1", "node-2"].entries()) {
    emulator.project.attach(emulator.project.addServer(name), network, `10.0.0.${i + 2}`);
  }
  Deno.serve({
    hostname: "127.0.0.1",
    port,
    onListen: ({ port }) => {
      const line = JSON.stringify({ endpoint: `http://127.0.0.1:${port}/v1`, token: emulator.token });
      Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
    },
  }, emulator.handle);
}
