/**
 * Serves the emulator on 127.0.0.1, with a network and servers called `node-1` and so on in it, and prints where it is as a line of JSON.
 *
 * Run: `deno run --allow-net=127.0.0.1 tests/emulators/hcloud/main.ts --servers=3`. Flags: `--port` (any by default), `--servers` (2),
 * `--action-ms`, milliseconds that actions take (200), `--limit`, requests an hour (3600), and `--fault`, a fault from the beginning as
 * JSON, which can be repeated. What else can be done with it, `control.ts` says.
 */
import { parseArgs } from "@std/cli/parse-args";
import { controlled } from "./control.ts";
import { HcloudEmulator } from "./emulator.ts";
import { Faults } from "./faults.ts";

if (import.meta.main) {
  const flags = parseArgs(Deno.args, {
    string: ["port", "servers", "action-ms", "limit", "fault"],
    collect: ["fault"],
    default: { port: "0", servers: "2", "action-ms": "200", limit: "3600" },
  });
  const emulator = new HcloudEmulator({
    nowMs: () => Date.now(),
    actionMs: Number(flags["action-ms"]),
    limit: Number(flags.limit),
  });
  const network = emulator.project.addNetwork("cluster", {
    subnets: [{ type: "cloud", ip_range: "10.0.0.0/16", network_zone: "eu-central", gateway: "10.0.0.1" }],
  });
  for (let i = 1; i <= Number(flags.servers); i++) {
    emulator.project.attach(emulator.project.addServer(`node-${i}`, { id: i }), network, `10.0.0.${i + 1}`);
  }
  const faults = new Faults();
  for (const fault of flags.fault) faults.add(JSON.parse(String(fault)));
  Deno.serve({
    hostname: "127.0.0.1",
    port: Number(flags.port),
    onListen: ({ port }) => {
      const at = `http://127.0.0.1:${port}`;
      const line = JSON.stringify({ endpoint: `${at}/v1`, control: `${at}/emulator`, token: emulator.token });
      Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
    },
  }, controlled(emulator, faults));
}
