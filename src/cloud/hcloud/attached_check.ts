import { boundedText, errorText, type World } from "../../base/mod.ts";
import type { SendRequest } from "../factory.ts";

/** The cloud's metadata for a server: the networks it is in. */
const PRIVATE_NETWORKS_URL = "http://169.254.169.254/hetzner/v1/metadata/private-networks";
const LIMIT_MS = 15_000;
const MAX_BYTES = 64 * 1024;

/**
 * Checks that the server this process runs on is in the network; otherwise this mistake costs hours.
 * Upstream: `hcloud-cloud-controller-manager/hcloud/cloud.go` (serverIsAttachedToNetwork).
 *
 * @throws {Error} If it is not, or that cannot be determined.
 */
export async function checkAttached(send: SendRequest, { clock }: World, network: number, name: string): Promise<void> {
  const limit = new AbortController();
  const timer = clock.setTimer(LIMIT_MS, () => limit.abort(new Error("it took too long")));
  let text: string;
  try {
    const response = await send(new Request(PRIVATE_NETWORKS_URL, { redirect: "manual", signal: limit.signal }));
    if (response.status !== 200) throw new Error(`HTTP status ${response.status}`);
    text = await boundedText(response.body, { maxBytes: MAX_BYTES, signal: limit.signal });
  } catch (error) {
    throw new Error(
      `checking if server is in Network not possible: ${errorText(error)} ` +
        "(HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK=true skips this check)",
    );
  } finally {
    timer.cancel();
  }
  if (!text.includes(`network_id: ${network}\n`)) throw new Error(`This node is not attached to Network ${name}`);
}
