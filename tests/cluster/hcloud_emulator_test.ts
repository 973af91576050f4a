/** The vendor's own client library judges the emulator of the Hetzner Cloud API. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { HcloudEmulator } from "../emulators/hcloud/emulator.ts";

const JUDGE = fromFileUrl(new URL("../controlplane/hcloudjudge", import.meta.url));

Deno.test("the vendor's client reads and changes everything in the emulator as it does in the cloud", async () => {
  const emulator = new HcloudEmulator({ nowMs: () => Date.now(), actionMs: 60 });
  const network = emulator.project.addNetwork("cluster");
  for (const [i, name] of ["node-1", "node-2"].entries()) {
    emulator.project.attach(emulator.project.addServer(name), network, `10.0.0.${i + 2}`);
  }
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, emulator.handle);
  const { success, stdout, stderr } = await new Deno.Command("go", {
    args: ["run", "."],
    cwd: JUDGE,
    env: {
      CGO_ENABLED: "0",
      HCLOUD_ENDPOINT: `http://127.0.0.1:${server.addr.port}/v1`,
      HCLOUD_TOKEN: emulator.token,
    },
  }).output();
  const text = new TextDecoder();
  assert(success, text.decode(stdout) + text.decode(stderr));
  assertEquals(/^\d+ claims, 0 wrong\n$/.test(text.decode(stdout)), true, text.decode(stdout));
});
