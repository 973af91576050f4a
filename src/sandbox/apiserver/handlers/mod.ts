import { admit } from "../admission/mod.ts";
import { answerError, warningHeaders } from "../requests/mod.ts";
import { ApiError } from "../base/mod.ts";
import { handleBinding, handleEviction, handleLog, handleScale, handleToken } from "../subresources/mod.ts";
import { answerOptions, type Exchange, handleGet, operationOf, storedObject } from "../exchange/mod.ts";
import { handleReview, isReview } from "./reviews.ts";
import { handlePatch } from "./patch.ts";
import { handleList } from "./list.ts";
import { handleWatch } from "./watch.ts";
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

const notSimulated: Handler = (exchange) => {
  storedObject(exchange);
  const message = `the subresource "${exchange.route.subresource}" is not simulated by this server`;
  throw new ApiError(501, "NotImplemented", message, {});
};

/** Subresources that create something need an open namespace, as new objects do. */
function intoNamespace(handler: Handler): Handler {
  return async (exchange) => {
    const object = { metadata: { name: exchange.route.name } };
    admit({ operation: operationOf(exchange), moment: "create/subresource", object });
    return await handler(exchange);
  };
}

/** Subresources with a handler of their own, other than a view of the object. */
const BY_SUBRESOURCE: Readonly<Record<string, Handler>> = {
  attach: notSimulated,
  binding: intoNamespace(handleBinding),
  eviction: intoNamespace(handleEviction),
  exec: notSimulated,
  log: handleLog,
  portforward: notSimulated,
  proxy: notSimulated,
  scale: handleScale,
  token: intoNamespace(handleToken),
};

/** Serves a request to a resource. Refusals have the requested form and the warnings so far. */
export async function handleResource(exchange: Exchange): Promise<Response> {
  try {
    const response = await handle(exchange);
    // Only lists and watches, which are streamed, come without them.
    if (response.headers.has("warning")) return response;
    for (const warning of warningHeaders(exchange.warnings)) response.headers.append("warning", warning);
    return response;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return answerError(error, answerOptions(exchange));
  }
}

function handle(exchange: Exchange): Promise<Response> {
  const { subresource, verb, served } = exchange.route;
  const deprecation = served.custom?.deprecation ?? served.deprecation;
  if (deprecation !== undefined) exchange.warnings.add(deprecation);
  const special = BY_SUBRESOURCE[subresource];
  if (special) return special(exchange);
  if (verb === "create" && isReview(served.kind)) return handleReview(exchange);
  if (verb === "create" && served.plural === "bindings" && served.group === "") return handleBinding(exchange);
  return BY_VERB[verb](exchange);
}
