import type { World } from "../../base/mod.ts";
import type { CertificateClient } from "../certificates/mod.ts";
import type { Signer } from "./signers.ts";
import type { SigningAuthority } from "./signing_authority.ts";

/** A signer's context. */
export interface SigningContext {
  readonly world: Pick<World, "clock" | "random">;
  readonly client: CertificateClient;
  readonly signer: Pick<Signer, "name" | "objection">;
  readonly authority: Pick<SigningAuthority, "current" | "sign">;
  /** The longest validity of a certificate. */
  readonly longestMs: number;
}
