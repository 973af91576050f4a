import { NODES } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { CloudStart } from "../provider.ts";
import { readProviderId } from "./provider_id.ts";

/** The client whose account may list Nodes. */
const CLIENT = "node-controller";
const PAGE_LENGTH = 500;

/** Finds out which servers this cluster's Nodes name. */
export class ClusterNodes {
  #client: Client | undefined;

  /** Must be called before Nodes can be read. */
  start({ clients }: Pick<CloudStart, "clients">): void {
    this.#client = clients.client(CLIENT);
  }

  /**
   * Whether any Node names one of these servers by its ID.
   * @throws {Error} If the API server cannot be read.
   */
  async nameAnyOf(servers: readonly { readonly id: number }[], signal: AbortSignal): Promise<boolean> {
    if (!this.#client) return false;
    const ids = new Set(servers.map(({ id }) => id));
    let page: string | undefined;
    do {
      const { items, metadata } = await this.#client.list(NODES, { limit: PAGE_LENGTH, continue: page, signal });
      if (items.some(({ spec }) => ids.has(serverOf(spec?.providerID ?? "") ?? 0))) return true;
      page = metadata.continue;
    } while (page);
    return false;
  }
}

function serverOf(providerId: string): number | undefined {
  try {
    const read = readProviderId(providerId);
    return read.kind === "server" ? read.id : undefined;
  } catch {
    // A malformed ID belongs to no server.
    return undefined;
  }
}
