import type { TokenReviewSpec } from "../../../api/mod.ts";
import { badRequest } from "../base/mod.ts";
import type { Authenticator } from "./authenticator.ts";
import { TokenError } from "./token_error.ts";
import { userInfo } from "../access/mod.ts";

/**
 * The status of a TokenReview. Upstream: `pkg/registry/authentication/tokenreview`.
 *
 * @throws {ApiError} 400 if it contains no token.
 */
export async function reviewToken(
  { token, audiences }: TokenReviewSpec,
  authenticator: Authenticator,
): Promise<object> {
  if (!token) throw badRequest("token is required for TokenReview in authentication");
  try {
    const holder = await authenticator.holderOf(token, audiences?.length ? audiences : undefined);
    return { authenticated: true, user: userInfo(holder.user), audiences: holder.audiences };
  } catch (error) {
    if (error instanceof TokenError) return { user: {}, error: error.message };
    throw error;
  }
}
