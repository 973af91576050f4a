// deno-lint-ignore-file no-console -- start-up time and memory are figures to report
/** The executable of `$KUBELOOP_EXECUTABLE`: what it says, and its work on a real API server. `.ci/compile_smoke` runs this. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS } from "../../src/api/mod.ts";
import { parseMetrics } from "../../src/base/mod.ts";
import type { ControlPlane } from "../controlplane/control_plane.ts";
import { FIRST_SIX, leaseHolder, THREE_GROUPS } from "../controlplane/manager.ts";
import { eventually, freePort, Process } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "../cluster/cluster.ts";
import { EXECUTABLE, named } from "./executable.ts";

/** Queues of controllers that are in different groups. */
const QUEUES = ["deployment", "replicaset", "garbage_collector_graph_changes", "serviceaccount"];

/** Runs `program` in a folder of its own. */
async function run(program: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const cwd = await Deno.makeTempDir({ prefix: "kubeloop-executable-" });
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, { args, cwd, env: { NO_COLOR: "1" } }).output();
    const text = new TextDecoder();
    return { code, out: text.decode(stdout).trim(), err: text.decode(stderr).trim() };
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

/** Runs the executable by a symlink called `name`. */
async function runAs(name: string, ...args: string[]): ReturnType<typeof run> {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-names-" });
  try {
    await Deno.symlink(EXECUTABLE, `${folder}/${name}`);
    return await run(`${folder}/${name}`, ...args);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the executable says what it was built from, and what it runs on", async () => {
  const { code, out } = await run(EXECUTABLE, "version");
  assertEquals(code, 0);
  const [version, build, runtime] = out.split("\n");
  assertMatch(version, /^kubeloop \d+\.\d+\.\d+ \(Kubernetes v1\.36\.\d+\)$/);
  assertMatch(build, /^built from commit ([0-9a-f]{40}(-dirty)?|unknown) of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assertMatch(runtime, /^Deno \d+\.\d+\.\d+, V8 \S+$/);
});

Deno.test("the executable is either manager by symlink and by first argument, and refuses with one line", async () => {
  const manager = "kube-controller-manager";
  const cloudManager = "cloud-controller-manager";
  assertMatch((await runAs(manager, "--version")).out, /^Kubernetes v1\.36\.\d+$/);
  assertMatch((await run(EXECUTABLE, manager, "--version")).out, /^Kubernetes v1\.36\.\d+$/);
  const refusals = {
    "--cloud-provider cannot be empty": await runAs(cloudManager),
    // As the static pod's image has it, which holds the executable under one name.
    "Error: --cloud-provider cannot be empty": await runAs(manager, cloudManager),
    "there are hcloud, ippool, webhook": await run(
      EXECUTABLE,
      cloudManager,
      "--cloud-provider=x",
      "--master=http://127.0.0.1:9",
    ),
    // Under its own name it would be a command.
    "does not take any arguments": await runAs(manager, "version"),
    "unknown flag: --no-such-flag": await runAs(manager, "--no-such-flag"),
    "/nonexistent": await runAs(manager, "--kubeconfig=/nonexistent"),
    "unknown command": await run(EXECUTABLE, "no-such-command"),
  };
  for (const [why, { code, err }] of Object.entries(refusals)) {
    assertEquals(code, why.startsWith("there are") ? 255 : 1, why);
    assertStringIncludes(err.split("\n").at(-1)!, why);
    assert(!/^\s+at /m.test(err), `${why} prints a stack: ${err}`);
  }
  assertEquals(refusals["--cloud-provider cannot be empty"].err.split("\n").length, 1);
});

Deno.test("the executable is a whole cluster by https, and says why an object of it is as it is", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "kubeloop-dev-" });
  try {
    await using dev = new Process("dev", EXECUTABLE, { args: ["dev", "--tls", "--port=0"], cwd });
    await eventually("the example is rolled out", () => dev.output.includes("all ready"));
    const { stdout, stderr } = await new Deno.Command(EXECUTABLE, { args: ["why", "deploy/web"], cwd }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertStringIncludes(out, "deployment-controller synced deployment/default/web", err);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("threads of controller groups may do nothing in an executable, and have the main thread's heap flags", async () => {
  const { out, err } = await run(named("KUBELOOP_PROBE"));
  assert(out !== "", err);
  const { main, worker } = JSON.parse(out);
  assertEquals(main.granted, ["read", "net", "env", "run"]);
  assertEquals(worker.done, []);
  assertEquals(worker.refused.length, 9);
  assertEquals(worker.heapLimitBytes, main.heapLimitBytes);
});

Deno.test("threads of controller groups reach nothing beyond themselves in an executable: what takes it away runs first", async () => {
  for (const address of [[], ["127.0.0.1:1"]]) {
    const { out, err } = await run(named("KUBELOOP_CONFINEMENT"), ...address);
    assert(out !== "", err);
    const { refused, done, memories } = JSON.parse(out);
    assertEquals([done, memories], [[], 0]);
    assert(refused.includes("signal its process") && refused.includes("set V8's flags"), out);
  }
});

/** The manager in a folder of its own, where it may write what it tells systemd. */
function startManager(plane: ControlPlane, port: number, folder: string): Process {
  return plane.adopt(
    new Process("kubeloop", EXECUTABLE, {
      cwd: plane.folder,
      env: { NOTIFY_SOCKET: `${folder}/notify`, RUNTIME_DIRECTORY: folder, WATCHDOG_USEC: "1000000" },
      args: [
        "kube-controller-manager",
        `--kubeconfig=${plane.kubeconfig}`,
        `--authentication-kubeconfig=${plane.kubeconfig}`,
        `--authorization-kubeconfig=${plane.kubeconfig}`,
        `--root-ca-file=${plane.rootCaFile}`,
        `--secure-port=${port}`,
        "--bind-address=127.0.0.1",
        "--leader-elect=true",
        `--controller-groups=${THREE_GROUPS}`,
        `--controllers=${FIRST_SIX}`,
      ],
    }),
  );
}

/** A ServiceAccount's token that may read /metrics. */
async function scraperToken(plane: ControlPlane): Promise<string> {
  await plane.kubectl(["create", "serviceaccount", "scraper", "-n", "default"]);
  const subject = ["--clusterrole=system:monitoring", "--serviceaccount=default:scraper"];
  await plane.kubectl(["create", "clusterrolebinding", "scraper", ...subject]);
  return (await plane.kubectl(["create", "token", "scraper", "-n", "default"])).trim();
}

/** Asks the endpoint, which made its certificate itself. */
async function ask(url: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = token === undefined ? [] : ["--header", `Authorization: Bearer ${token}`];
  const args = ["--silent", "--insecure", "--max-time", "20", "--write-out", "\n%{http_code}", ...headers, url];
  const { stdout } = await new Deno.Command("curl", { args }).output();
  const [, text, status] = /^([\s\S]*)\n(\d+)$/.exec(new TextDecoder().decode(stdout))!;
  return { status: Number(status), text };
}

clusterTest(
  "the executable rolls out a Deployment in threads, answers as it should, and ends when it is told to",
  async () => {
    await using cluster = await Cluster.start({ simulated: { untaint: true } });
    const { plane } = cluster;
    const heard: string[] = [];
    // What the unit calls its RuntimeDirectory.
    const folder = `${plane.folder}/.kubeloop`;
    await Deno.mkdir(folder);
    const systemd = Deno.listenDatagram({ transport: "unixpacket", path: `${folder}/notify` });
    const listening = (async () => {
      for await (const [bytes] of systemd) heard.push(new TextDecoder().decode(bytes));
    })();

    const port = freePort();
    const startMs = performance.now();
    const manager = startManager(plane, port, folder);
    const url = `https://127.0.0.1:${port}`;
    const ready = async () => {
      if (manager.exit) throw new Error(`it ended with ${manager.exit.code}: ${manager.output.slice(-3000)}`);
      const { status, text } = await ask(`${url}/readyz?verbose`);
      return status === 200 && text;
    };
    await eventually("its groups are ready", ready);
    const readyMs = performance.now() - startMs;
    const kit = await cluster.namespace("shop");
    await kit.create(DEPLOYMENTS, deployment("web", { replicas: 5 }));
    await kit.rolledOut("web");

    const checks = await eventually("it is still ready", ready);
    const groups = [...checks.matchAll(/^\[\+\]group-(\S+) ok$/gm)].map(([, name]) => name);
    assert(groups.length >= 2, checks);
    assertEquals((await ask(`${url}/healthz`)).status, 200);
    assertEquals((await ask(`${url}/metrics`)).status, 403);
    assertEquals((await ask(`${url}/metrics`, "not-a-token")).status, 401);
    const token = await scraperToken(plane);
    const metrics = await eventually("every group has worked", async () => {
      const { status, text } = await ask(`${url}/metrics`, token);
      assertEquals(status, 200);
      const families = parseMetrics(text);
      const adds = families.find(({ name }) => name === "workqueue_adds_total")?.samples ?? [];
      const hasWorked = (queue: string) => adds.some(({ labels, value }) => labels.name === queue && value > 0);
      return QUEUES.every(hasWorked) && families;
    });
    const failures = metrics.find(({ name }) => name === "kubeloop_group_failures_total")?.samples ?? [];
    assertEquals(failures.filter(({ value }) => value > 0), []);
    const gaps = manager.output.split("\n").filter((line) => line.includes("cannot ask clients for certificates"));
    assert(gaps.length <= 1, gaps.join("\n"));
    console.log(`${groups.length} groups ready in ${Math.round(readyMs)} ms; memory: ${await memory(manager.pid)}`);

    await eventually("the watchdog is fed", () => heard.filter((message) => message === "WATCHDOG=1").length >= 3);
    assertEquals(await manager.stop(), { code: 0, signal: null });
    assertEquals(await leaseHolder(plane), "", "the lease was not released");
    assertEquals(heard[0], "READY=1");
    assert(heard.includes("STOPPING=1"), heard.join());
    const errors = manager.output.split("\n").filter((line) => /^E\d{4} |uncaught|panicked|NotCapable/i.test(line));
    // Of the token above that is none.
    assertEquals(errors.filter((line) => !line.includes("invalid bearer token")), []);
    systemd.close();
    await listening;
  },
);

/** Memory of a process now and at its peak. */
async function memory(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const mib = (key: string) => Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)![1]) / 1024);
  return `${mib("VmRSS")} MiB now, ${mib("VmHWM")} MiB at its peak`;
}
