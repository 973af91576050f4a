/** Odd paths and methods at both managers' HTTPS endpoints: the table of the unit test holds for either. */
import { assertEquals } from "@std/assert";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { rawRequest } from "../controlplane/raw_request.ts";
import { servingFlags } from "../controlplane/serving.ts";
import { type Asker, ASKERS, ODD_REQUESTS } from "../unit/manager_endpoint_paths.ts";
import { clusterTest } from "./cluster.ts";

/** A token of a new ServiceAccount that has the ClusterRole `role`. */
async function tokenOf(plane: ControlPlane, who: Asker, role: string): Promise<string> {
  await plane.kubectl(["create", "serviceaccount", who, "-n", "default"]);
  const subject = [`--clusterrole=${role}`, `--serviceaccount=default:${who}`];
  await plane.kubectl(["create", "clusterrolebinding", who, ...subject]);
  return (await plane.kubectl(["create", "token", who, "-n", "default"])).trim();
}

clusterTest("both managers answer odd paths and methods alike, whoever asks", async () => {
  await using plane = await ControlPlane.start();
  const ca = plane.authority.cert;
  const flags = await servingFlags(plane);
  await plane.kubectl(["create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics"]);
  const tokens: Record<Asker, string | undefined> = {
    nobody: undefined,
    scraper: await tokenOf(plane, "scraper", "scraper"),
    operator: await tokenOf(plane, "operator", "cluster-admin"),
  };
  for (const kind of ["upstream", "kubeloop"] as const) {
    const { healthzUrl } = await startManager(plane, kind, { flags, waitForLease: kind === "upstream" });
    const server = { port: Number(new URL(healthzUrl).port), ca };
    await eventually(`${kind} serves`, async () => (await rawRequest(server, { line: "GET /healthz" })).status === 200);
    for (const [line, statuses, location] of ODD_REQUESTS) {
      for (const [i, who] of ASKERS.entries()) {
        const answer = await rawRequest(server, { line, token: tokens[who] });
        assertEquals(answer.status, statuses[i], `${kind}: ${line} by ${who}`);
        if (answer.status === 302) assertEquals(answer.location, location, `${kind}: ${line}`);
      }
    }
  }
});
