/** Secrets that hold tokens: those of ServiceAccounts, and those that nodes join with. */
export {
  ACCOUNT_NAME,
  ACCOUNT_TOKENS,
  ACCOUNT_UID,
  type AccountName,
  accountNamedBy,
  isAccountToken,
  isTokenOf,
  LONGEST_NAME,
} from "./account_tokens.ts";
export { BOOTSTRAP_TOKENS, expiresInMs, isBootstrapToken } from "./bootstrap_tokens.ts";
export { bytesOf, textOf } from "./secret_data.ts";
