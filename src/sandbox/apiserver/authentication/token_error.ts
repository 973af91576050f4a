/** Why a token is not accepted, in the wording of a TokenReview. */
export class TokenError extends Error {
  override readonly name = "TokenError";
}
