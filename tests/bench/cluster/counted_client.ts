import { MemoryLogger, systemWorld } from "../../../src/base/mod.ts";
import { Client, loadClientConfig, transportOf } from "../../../src/client/mod.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";
import { counted } from "./requests.ts";

/** The administrator's client, without a rate limit, whose requests are added to `sent`, see {@link counted}. */
export async function countedClient(plane: ControlPlane, sent: Record<string, number>): Promise<Client> {
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig: plane.kubeconfig });
  const transport = counted(transportOf(world, config), sent);
  return new Client({ world, transport, server: config.server, userAgent: "bench" });
}
