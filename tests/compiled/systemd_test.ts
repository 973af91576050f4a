// deno-lint-ignore-file no-console -- a test that is skipped says why
/** The units of `manifests/systemd` under a real systemd, on a real API server. */
import { assert, assertEquals, assertFalse, assertLessOrEqual, assertNotEquals } from "@std/assert";
import { DEPLOYMENTS } from "../../src/api/mod.ts";
import type { ControlPlane } from "../controlplane/control_plane.ts";
import { leaseHolder } from "../controlplane/manager.ts";
import { eventually, freePort } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { manifestText } from "../unit/manifests/reading.ts";
import { Cluster, SKIPPED } from "../cluster/cluster.ts";
import { addBalanced, untilGiven } from "../cluster/ippool_kit.ts";
import { EXECUTABLE } from "./executable.ts";
import { SystemdMachine } from "./systemd_machine.ts";

const UNIT = "kubeloop.service";

const WHY_NOT = await SystemdMachine.whyNot();
if (WHY_NOT) console.warn(`tests under a real systemd are skipped: ${WHY_NOT}`);

/** Installs a unit with a port that is free, and a watchdog that a test can wait for; `kubeconfig` is the name of its file. */
async function install(
  { root }: SystemdMachine,
  plane: ControlPlane,
  { unit, kubeconfig }: { readonly unit: string; readonly kubeconfig: string },
): Promise<void> {
  const kubernetes = `${root}/etc/kubernetes`;
  await Deno.mkdir(`${kubernetes}/pki`, { recursive: true });
  await Deno.writeTextFile(`${kubernetes}/${kubeconfig}`, await Deno.readTextFile(plane.kubeconfig), { mode: 0o600 });
  await Deno.writeTextFile(`${kubernetes}/pki/ca.crt`, plane.authority.cert);
  const text = await manifestText(`systemd/${unit}`);
  const changed = text
    .replace("--leader-elect=true", `--leader-elect=true --secure-port=${freePort()}`)
    .replace("WatchdogSec=80s", "WatchdogSec=24s");
  assertNotEquals(changed, text);
  await Deno.writeTextFile(`${root}/etc/systemd/system/${unit}`, changed);
}

/** The process has no rights, and systemd's own judgement of the unit is good. */
async function assertConfined(machine: SystemdMachine, unit: string): Promise<void> {
  const { MainPID } = await machine.show(unit, "MainPID");
  const status = await machine.run("cat", `/proc/${MainPID}/status`);
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)![1].split(/\s/)[0];
  assertNotEquals(field("Uid"), "0");
  assertEquals([field("CapEff"), field("CapBnd")], ["0000000000000000", "0000000000000000"]);
  assertEquals([field("NoNewPrivs"), field("Seccomp")], ["1", "2"]);
  const report = await machine.run("systemd-analyze", "security", unit);
  const exposure = /Overall exposure level for [\w-]+\.service: ([\d.]+)/.exec(report);
  assert(exposure, report);
  assertLessOrEqual(Number(exposure![1]), 2.0);
}

function unitTest(name: string, fn: () => Promise<void>): void {
  const ignore = WHY_NOT !== undefined || SKIPPED !== undefined;
  Deno.test({ name, ignore, sanitizeResources: false, sanitizeOps: false, fn });
}

unitTest(
  "systemd sees the unit ready and well, starts it anew when it freezes, and stops it with the lease released",
  async () => {
    await using cluster = await Cluster.start();
    const { plane } = cluster;
    await using machine = await SystemdMachine.boot({ kubeloop: EXECUTABLE });
    await install(machine, plane, { unit: UNIT, kubeconfig: "controller-manager.conf" });
    await machine.run("systemctl", "daemon-reload");
    // It comes back once the process has said that it is ready.
    await machine.run("systemctl", "start", UNIT);
    const started = await machine.show(UNIT, "ActiveState", "SubState", "MainPID", "NRestarts");
    assertEquals([started.ActiveState, started.SubState, started.NRestarts], ["active", "running", "0"]);
    assertEquals((await machine.notifications(UNIT))[0], "READY=1");

    await assertConfined(machine, UNIT);

    await eventually("it leads", async () => await leaseHolder(plane) !== "");
    await eventually(
      "systemd knows what it does",
      async () => (await machine.show(UNIT, "StatusText")).StatusText === "Leading",
    );
    const kit = await cluster.namespace("shop");
    await kit.create(DEPLOYMENTS, deployment("web", { replicas: 5 }));
    await kit.rolledOut("web");
    await eventually(
      "the watchdog is fed",
      async () => (await machine.notifications(UNIT)).filter((message) => message === "WATCHDOG=1").length >= 3,
    );

    await machine.run("systemctl", "kill", "--kill-whom=main", "--signal=SIGSTOP", UNIT);
    const restarted = await eventually("systemd starts it anew", async () => {
      const now = await machine.show(UNIT, "NRestarts", "ActiveState", "MainPID");
      return now.NRestarts !== "0" && now.ActiveState === "active" && now;
    }, { withinMs: 120_000 });
    assertNotEquals(restarted.MainPID, started.MainPID);
    assert((await machine.journal(UNIT)).includes("Watchdog timeout"));
    // The old one's lease has to run out.
    await kit.merge(DEPLOYMENTS, "web", { spec: { replicas: 7 } });
    await kit.rolledOut("web");

    await machine.run("systemctl", "stop", UNIT);
    assertEquals(await machine.show(UNIT, "ActiveState", "Result"), { ActiveState: "inactive", Result: "success" });
    assertEquals(await leaseHolder(plane), "", "the lease was not released");
    const told = await machine.notifications(UNIT);
    assertEquals(told.filter((message) => message === "READY=1").length, 2);
    assertEquals(told.slice(1, 2), ["STATUS=Waiting for the lease"]);
    assertEquals(told.filter((message) => message !== "WATCHDOG=1").slice(-2), ["STOPPING=1", "STATUS=Stopping"]);
    const journal = await machine.journal(UNIT);
    assert(journal.includes("Deactivated successfully"), journal);
    assertFalse(/uncaught|panicked|NotCapable|Cannot tell systemd/i.test(journal), journal);
  },
);

const CLOUD_UNIT = "kubeloop-cloud.service";
const CLOUD = "cloud-controller-manager";

unitTest(
  "systemd sees the unit of cloud-controller-manager ready and well, and stops it with the lease released",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { plane } = cluster;
    await using machine = await SystemdMachine.boot({ kubeloop: EXECUTABLE });
    await install(machine, plane, { unit: CLOUD_UNIT, kubeconfig: `${CLOUD}.conf` });
    await Deno.mkdir(`${machine.root}/etc/kubernetes/cloud`);
    await Deno.writeTextFile(
      `${machine.root}/etc/kubernetes/cloud/config.yaml`,
      await manifestText("cloud/ippool.yaml"),
      {
        mode: 0o600,
      },
    );
    await machine.run("systemctl", "daemon-reload");
    await machine.run("systemctl", "start", CLOUD_UNIT);
    const { ActiveState, SubState } = await machine.show(CLOUD_UNIT, "ActiveState", "SubState");
    assertEquals([ActiveState, SubState], ["active", "running"]);
    assertEquals((await machine.notifications(CLOUD_UNIT))[0], "READY=1");
    await assertConfined(machine, CLOUD_UNIT);

    const kit = await cluster.namespace("shop", { account: false });
    await addBalanced(kit, "web");
    assertEquals(await untilGiven(kit, "web"), ["192.0.2.16"]);
    assert(await leaseHolder(plane, CLOUD));
    await eventually(
      "the watchdog is fed",
      async () => (await machine.notifications(CLOUD_UNIT)).includes("WATCHDOG=1"),
    );
    await machine.run("systemctl", "stop", CLOUD_UNIT);
    const stopped = await machine.show(CLOUD_UNIT, "ActiveState", "Result", "NRestarts");
    assertEquals(stopped, { ActiveState: "inactive", Result: "success", NRestarts: "0" });
    assertEquals(await leaseHolder(plane, CLOUD), "", "the lease was not released");
    const journal = await machine.journal(CLOUD_UNIT);
    assertFalse(/uncaught|panicked|NotCapable|Cannot tell systemd|^E\d{4} /im.test(journal), journal);
  },
);
