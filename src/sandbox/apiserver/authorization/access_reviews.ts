import type { ObjectMeta, ResourceAttributes, SubjectAccessReviewSpec } from "../../../api/mod.ts";
import type { Access, Authorizer, Rule, User } from "../access/mod.ts";
import { badRequest, invalid } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { joinErrors } from "./rbac.ts";
import { evaluationError, validateAttributes, validateSelectors } from "./review_attributes.ts";

/** An access review as it was sent. */
export interface AccessReview {
  readonly metadata?: ObjectMeta;
  readonly spec?: SubjectAccessReviewSpec & { readonly namespace?: string };
}

/** The user who sent a review, and where. */
export interface Asking {
  readonly authorizer: Authorizer;
  readonly namespace: string;
  readonly user: User;
}

/** Messages name only the group, as upstream has lost the kind at this point. */
const SUBJECT = { group: "authorization.k8s.io", plural: "", kind: "" };

/**
 * The status of a SubjectAccessReview: whether another user may do something. Upstream: `pkg/registry/authorization`.
 *
 * @throws {ApiError} 422 if it does not ask about exactly one access of one subject.
 */
export function reviewSubjectAccess({ metadata, spec = {} }: AccessReview, { authorizer }: Asking): object {
  const errors = new FieldErrors();
  validateSubject(spec, errors);
  validateEmpty(metadata, "must be empty", errors);
  throwIfAny(errors);
  return decide(authorizer, subjectOf(spec), spec);
}

/** Like {@link reviewSubjectAccess}, in one namespace. */
export function reviewLocalAccess(
  { metadata = {}, spec = {} }: AccessReview,
  { authorizer, namespace }: Asking,
): object {
  const errors = new FieldErrors();
  validateSubject(spec, errors);
  const { namespace: own, ...rest } = metadata;
  validateEmpty(rest, "must be empty except for namespace", errors);
  const asked = spec.resourceAttributes?.namespace ?? "";
  if (spec.resourceAttributes && asked !== (own || namespace)) {
    errors.invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace");
  }
  if (spec.nonResourceAttributes) {
    errors.invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "disallowed on this kind of request");
  }
  throwIfAny(errors);
  return decide(authorizer, subjectOf(spec), spec);
}

/** Like {@link reviewSubjectAccess}, about the sender. */
export function reviewOwnAccess({ metadata, spec = {} }: AccessReview, { authorizer, user }: Asking): object {
  const errors = new FieldErrors();
  validateAttributes(spec, errors);
  validateSelectors(spec, errors);
  validateEmpty(metadata, "must be empty", errors);
  throwIfAny(errors);
  return decide(authorizer, user, spec);
}

/**
 * The status of a SelfSubjectRulesReview: everything that the sender may do in a namespace.
 *
 * @throws {ApiError} 400 if it names no namespace.
 */
export function reviewOwnRules({ spec = {} }: AccessReview, { authorizer, user }: Asking): object {
  if (!spec.namespace) throw badRequest("no namespace on request");
  const { rules, errors } = authorizer.rulesFor(user, spec.namespace);
  return {
    resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...errors.length > 0 ? { evaluationError: joinErrors(errors) } : {},
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: Rule): object {
  return {
    verbs,
    ...apiGroups?.length ? { apiGroups } : {},
    resources,
    ...resourceNames?.length ? { resourceNames } : {},
  };
}

function validateSubject(spec: SubjectAccessReviewSpec, errors: FieldErrors): void {
  validateAttributes(spec, errors);
  if (!spec.user && !spec.groups?.length) {
    errors.invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified");
  }
  validateSelectors(spec, errors);
}

function validateEmpty(metadata: ObjectMeta = {}, why: string, errors: FieldErrors): void {
  const { managedFields: _managed, ...rest } = metadata;
  if (Object.keys(rest).length > 0) errors.invalid("metadata", metadata, why);
}

function throwIfAny({ causes }: FieldErrors): void {
  if (causes.length > 0) throw invalid(SUBJECT, "", causes);
}

function subjectOf({ user = "", uid, groups = [], extra }: SubjectAccessReviewSpec): User {
  return { username: user, groups, ...uid && { uid }, ...extra && { extra } };
}

function decide({ authorize }: Authorizer, user: User, spec: SubjectAccessReviewSpec): object {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const { allowed, reason } = authorize(
    resourceAttributes
      ? resourceAccess(user, resourceAttributes)
      : { user, verb: nonResourceAttributes?.verb ?? "", path: nonResourceAttributes?.path ?? "" },
  );
  const broken = evaluationError(resourceAttributes);
  return { allowed, ...reason ? { reason } : {}, ...broken ? { evaluationError: broken } : {} };
}

function resourceAccess(user: User, attributes: ResourceAttributes): Access {
  const { verb = "", group = "", resource = "", subresource, namespace, name } = attributes;
  return { user, verb, group, resource, subresource, namespace, name };
}
