/** Whether the emulator of the Hetzner Cloud API answers as the vendor's client library has it; needs Go, and no kube-apiserver. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { hcloudJudge } from "../controlplane/hcloud_judge.ts";
import { HcloudProgram } from "../controlplane/hcloud_program.ts";
import { eventually } from "../controlplane/process.ts";
import { runProgram } from "../controlplane/run_program.ts";
import { HcloudEmulator } from "../emulators/hcloud/emulator.ts";
import { clusterTest, testBeside } from "./cluster.ts";

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

testBeside("The emulator of Hetzner Cloud is a program that changes and fails as it is told", async () => {
  await using program = await HcloudProgram.start(
    "--servers=3",
    "--limit=1000",
    '--fault={"does":"error","status":401,"code":"unauthorized","times":1}',
  );
  const get = async (path: string) => {
    const response = await program.api(path);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const names = async () => {
    const { servers } = JSON.parse((await get("/servers")).text) as { servers: { name: string; status: string }[] };
    return servers.map(({ name, status }) => `${name} ${status}`);
  };
  assertEquals((await get("/servers")).status, 401);
  assertEquals(await names(), ["node-1 running", "node-2 running", "node-3 running"]);
  assertEquals((await get("/servers/1")).headers.get("ratelimit-limit"), "1000");

  await program.control("PUT", "/servers/2", { status: "off" });
  await program.control("DELETE", "/servers/3");
  await program.control("POST", "/servers", { name: "node-4", id: 4, ip: "10.0.0.5" });
  assertEquals(await names(), ["node-1 running", "node-2 off", "node-4 running"]);

  await program.fault({ does: "empty", path: "/servers" });
  assertEquals(await names(), []);
  await program.mend();
  await program.fault({ does: "cut" });
  await assertRejects(names, SyntaxError);
  await program.mend();
  await program.fault({ does: "page", path: "/networks" });
  assertStringIncludes((await get("/networks")).text, "<html>");
  await program.mend();
  await program.fault({ does: "error", method: "GET", status: 429, code: "rate_limit_exceeded" });
  assertEquals((await get("/networks")).status, 429);
  await program.mend();
  await program.fault({ does: "hang", times: 1 });
  const late = program.api("/networks");
  await eventually("it hangs", async () => await program.faulty() === 1);
  assertEquals((await get("/networks")).status, 200);
  // Its one request waits until it is mended.
  await program.control("GET", "/faults").then((faults) =>
    assertEquals(faults, [{ does: "hang", times: 1, id: 6, used: 1 }])
  );
  await program.mend();
  assertEquals((await late).status, 503);
  await (await late).body?.cancel();
  await program.fault({ does: "lost", path: "/load_balancers" });
  await assertRejects(() => program.fault({ does: "nothing" } as never), Error, "must be one of error, hang");
  const there = await program.control<{ servers: unknown[]; faults: number }>("GET", "");
  assertEquals([there.servers.length, there.faults], [3, 1]);
});
