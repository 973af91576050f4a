import { encodeBase64 } from "@std/encoding/base64";
import type { Secret, ServiceAccount } from "../../api/mod.ts";
import { ACCOUNT_NAME, ACCOUNT_UID } from "../token_secrets/mod.ts";

const ROOT_CA_KEY = "ca.crt";
const NAMESPACE_KEY = "namespace";
const TOKEN_KEY = "token";

/** What a token Secret lacks. */
export interface Needs {
  readonly rootCa: boolean;
  /** A wrong one is kept: it was set deliberately. */
  readonly namespace: boolean;
  /** An existing one is kept: clients hold it, and the API server compares its bytes. */
  readonly token: boolean;
}

/**
 * What `secret` lacks; `undefined` if it is complete.
 *
 * @param rootCa In base64; empty for none.
 */
export function needsOf({ data = {} }: Secret, rootCa: string): Needs | undefined {
  const needs = {
    rootCa: rootCa !== "" && data[ROOT_CA_KEY] !== rootCa,
    namespace: !data[NAMESPACE_KEY],
    token: !data[TOKEN_KEY],
  };
  return needs.rootCa || needs.namespace || needs.token ? needs : undefined;
}

/**
 * Completes `secret`, and adds its account's name and UID.
 *
 * @param parts.token Absent if the existing one stays.
 */
export function filled(
  secret: Secret,
  needs: Needs,
  { account, rootCa, token }: { readonly account: ServiceAccount; readonly rootCa: string; readonly token?: string },
): Secret {
  const { metadata } = secret;
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata?.annotations,
        [ACCOUNT_NAME]: account.metadata?.name ?? "",
        [ACCOUNT_UID]: account.metadata?.uid ?? "",
      },
    },
    data: {
      ...secret.data,
      ...needs.rootCa ? { [ROOT_CA_KEY]: rootCa } : {},
      ...needs.namespace ? { [NAMESPACE_KEY]: encodeBase64(metadata?.namespace ?? "") } : {},
      ...token === undefined ? {} : { [TOKEN_KEY]: encodeBase64(token) },
    },
  };
}
