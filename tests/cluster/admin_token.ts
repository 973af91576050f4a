import type { ControlPlane } from "../controlplane/control_plane.ts";

/** A token of somebody who may do everything, for managers on a runtime that asks nobody for a certificate. */
export async function adminToken(plane: ControlPlane): Promise<string> {
  await plane.kubectl(["create", "serviceaccount", "admin", "-n", "kube-system"]);
  const role = ["--clusterrole=cluster-admin", "--serviceaccount=kube-system:admin"];
  await plane.kubectl(["create", "clusterrolebinding", "admin-by-token", ...role]);
  return (await plane.kubectl(["create", "token", "admin", "-n", "kube-system"])).trim();
}
