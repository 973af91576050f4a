import type { WriteContext } from "../../traits/mod.ts";

/**
 * Whether a user may approve or sign for a signer, directly or through its whole domain.
 *
 * Upstream: `pkg/registry/certificates/certauthorization`.
 */
export function mayFor(
  signer: string,
  verb: "approve" | "sign",
  { state, user }: Pick<WriteContext, "state" | "user">,
): boolean {
  const [domain] = signer.split("/");
  return [signer, `${domain}/*`].some((name) =>
    state.authorize({ user, verb, group: "certificates.k8s.io", resource: "signers", name }).allowed
  );
}
