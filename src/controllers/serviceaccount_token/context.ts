import type { Secret, ServiceAccount } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { TokenSigner } from "./token_signer.ts";

/** The requests that the controller makes to the API server. */
export type TokenClient = Pick<Client, "get" | "update" | "delete">;

/** The inputs and clients of a sync. */
export interface TokenContext {
  readonly world: World;
  readonly client: TokenClient;
  readonly accounts: Pick<Lister<ServiceAccount>, "get">;
  /** Secrets with tokens. */
  readonly secrets: Pick<Lister<Secret>, "get" | "list">;
  readonly signer: TokenSigner;
  /** Added to every Secret, in base64; empty for none. */
  readonly rootCa: string;
}
