/** Whether the emulator of the Hetzner Cloud API answers as the vendor's client library has it; needs Go, and no kube-apiserver. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { hcloudJudge } from "../controlplane/hcloud_judge.ts";
import { runProgram } from "../controlplane/run_program.ts";
import { HcloudEmulator } from "../emulators/hcloud/emulator.ts";
import { clusterTest } from "./cluster.ts";

const ACTION_MS = 100;

function emulator(): HcloudEmulator {
  const emulator = new HcloudEmulator({
    nowMs: () => performance.timeOrigin + performance.now(),
    actionMs: ACTION_MS,
    limit: 3600,
  });
  const { project } = emulator;
  const network = project.addNetwork("cluster");
  for (let i = 1; i <= 60; i++) project.addServer(`node-${i}`, { id: i });
  project.attach(project.servers.get(1)!, network, "10.0.0.2");
  return emulator;
}

clusterTest("The emulator of Hetzner Cloud answers as the vendor's client library has it", async () => {
  const judged = emulator();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, judged.handle);
  const { code, stdout, stderr } = await runProgram(await hcloudJudge(), {
    args: [],
    env: { HCLOUD_ENDPOINT: `http://127.0.0.1:${server.addr.port}/v1`, HCLOUD_TOKEN: judged.token },
  });
  assertEquals([code, stderr], [0, ""], stdout);
  assertStringIncludes(stdout, " checks, 0 failed");
  assertEquals([judged.project.balancers.size, judged.project.pending.length], [0, 0]);
});
