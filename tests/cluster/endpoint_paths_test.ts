/** What both managers' HTTPS endpoints answer: the tables of the unit tests hold for either. */
import { assertEquals } from "@std/assert";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { EXECUTABLE, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { rawRequest } from "../controlplane/raw_request.ts";
import { servingFlags } from "../controlplane/serving.ts";
import { acceptEncoding, CODINGS, LINES } from "../unit/manager/endpoint/codings.ts";
import { type Asker, ASKERS, ODD_REQUESTS } from "../unit/manager/endpoint/paths.ts";
import { clusterTest } from "./cluster.ts";

/** The HTTP server of Deno 2.4, which the executable may hold, judges odd targets and compresses answers by itself. */
const NOT_AS_EXECUTABLE = { ignore: EXECUTABLE !== "" };

const KINDS: readonly ManagerKind[] = ["upstream", "kubeloop"];

/** A token of a new ServiceAccount that has the ClusterRole `role`. */
async function tokenOf(plane: ControlPlane, who: Asker, role: string): Promise<string> {
  await plane.kubectl(["create", "serviceaccount", who, "-n", "default"]);
  const subject = [`--clusterrole=${role}`, `--serviceaccount=default:${who}`];
  await plane.kubectl(["create", "clusterrolebinding", who, ...subject]);
  return (await plane.kubectl(["create", "token", who, "-n", "default"])).trim();
}

/** Starts a manager and waits until its endpoint answers. */
async function serving(plane: ControlPlane, kind: ManagerKind, flags: readonly string[]) {
  const { healthzUrl } = await startManager(plane, kind, { flags, waitForLease: kind === "upstream" });
  const server = { port: Number(new URL(healthzUrl).port), ca: plane.authority.cert };
  await eventually(`${kind} serves`, async () => (await rawRequest(server, { line: "GET /healthz" })).status === 200);
  return server;
}

clusterTest("both managers answer odd paths and methods alike, whoever asks", async () => {
  await using plane = await ControlPlane.start();
  const flags = await servingFlags(plane);
  await plane.kubectl(["create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics"]);
  const tokens: Record<Asker, string | undefined> = {
    nobody: undefined,
    scraper: await tokenOf(plane, "scraper", "scraper"),
    operator: await tokenOf(plane, "operator", "cluster-admin"),
  };
  for (const kind of KINDS) {
    const server = await serving(plane, kind, flags);
    for (const [line, statuses, location] of ODD_REQUESTS) {
      for (const [i, who] of ASKERS.entries()) {
        const answer = await rawRequest(server, { line, token: tokens[who] });
        assertEquals(answer.status, statuses[i], `${kind}: ${line} by ${who}`);
        if (answer.status === 302) assertEquals(answer.header("location"), location, `${kind}: ${line}`);
      }
    }
  }
}, NOT_AS_EXECUTABLE);

clusterTest("both managers answer the same things by gzip, to the same clients", async () => {
  await using plane = await ControlPlane.start();
  const flags = await servingFlags(plane);
  const token = await tokenOf(plane, "operator", "cluster-admin");
  for (const kind of KINDS) {
    const server = await serving(plane, kind, flags);
    const isByGzip = async (line: string, values: readonly string[]) => {
      const { status, header } = await rawRequest(server, { line, token, headers: acceptEncoding(values) });
      assertEquals([status >= 500, header("vary")], [false, undefined], `${kind}: ${line} for ${values}`);
      return header("content-encoding") === "gzip";
    };
    for (const [values, isGzip] of CODINGS) {
      for (const line of ["GET /metrics", "GET /metrics/slis"]) {
        assertEquals(await isByGzip(line, values), isGzip, `${kind}: ${line} for ${JSON.stringify(values)}`);
      }
    }
    for (const [line, isGzip] of LINES) assertEquals(await isByGzip(line, ["gzip"]), isGzip, `${kind}: ${line}`);
    using client = Deno.createHttpClient({ caCerts: [server.ca] });
    const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip" };
    // Controllers begin, and metrics are a second old at most.
    await eventually(`${kind} shows the metrics of its queues`, async () => {
      const response = await fetch(`https://localhost:${server.port}/metrics`, { client, headers });
      return (await response.text()).includes("\n# HELP workqueue_adds_total ");
    });
  }
}, NOT_AS_EXECUTABLE);
