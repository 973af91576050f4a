import { ApiError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { handleReview, isReview } from "../reviews.ts";
import { handleBinding } from "../subresources/binding.ts";
import { handleEviction } from "../subresources/eviction.ts";
import { handleScale } from "../subresources/scale.ts";
import { handleToken } from "../subresources/token.ts";
import { handlePatch } from "./patch.ts";
import { handleGet, handleList, handleWatch } from "./read.ts";
import { handleCreate, handleDelete, handleDeleteCollection, handleUpdate } from "./write.ts";

type Handler = (exchange: Exchange) => Promise<Response>;

const BY_VERB: Readonly<Record<Exchange["route"]["verb"], Handler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

const notSimulated: Handler = ({ route: { subresource } }) => {
  const message = `the subresource "${subresource}" is not simulated by this server`;
  return Promise.reject(new ApiError(501, "NotImplemented", message, {}));
};

/** Subresources that are more than another view of the same object. */
const BY_SUBRESOURCE: Readonly<Record<string, Handler>> = {
  attach: notSimulated,
  binding: handleBinding,
  eviction: handleEviction,
  exec: notSimulated,
  log: notSimulated,
  portforward: notSimulated,
  proxy: notSimulated,
  scale: handleScale,
  token: handleToken,
};

/** Serves a request to a resource. */
export function handleResource(exchange: Exchange): Promise<Response> {
  const { subresource, verb, served } = exchange.route;
  const special = BY_SUBRESOURCE[subresource];
  if (special) return special(exchange);
  if (verb === "create" && isReview(served.kind)) return handleReview(exchange);
  if (verb === "create" && served.plural === "bindings" && served.group === "") return handleBinding(exchange);
  return BY_VERB[verb](exchange);
}
