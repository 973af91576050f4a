import type { ObjectMeta, SubjectAccessReviewSpec } from "../../../api/mod.ts";
import type { Authorizer, Rule, User } from "../access/mod.ts";
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
  const errors = findErrors(spec, { hasSubject: true });
  validateEmpty(metadata, "must be empty", errors);
  return decide(authorizer, subjectOf(spec), spec, errors);
}

/** Like {@link reviewSubjectAccess}, in one namespace. */
export function reviewLocalAccess(
  { metadata = {}, spec = {} }: AccessReview,
  { authorizer, namespace }: Asking,
): object {
  const errors = findErrors(spec, { hasSubject: true });
  const { namespace: own, ...rest } = metadata;
  validateEmpty(rest, "must be empty except for namespace", errors);
  const asked = spec.resourceAttributes?.namespace ?? "";
  if (spec.resourceAttributes && asked !== (own || namespace)) {
    errors.invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace");
  }
  if (spec.nonResourceAttributes) {
    errors.invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "disallowed on this kind of request");
  }
  return decide(authorizer, subjectOf(spec), spec, errors);
}

/** Like {@link reviewSubjectAccess}, about the sender. */
export function reviewOwnAccess({ metadata, spec = {} }: AccessReview, { authorizer, user }: Asking): object {
  const errors = findErrors(spec, { hasSubject: false });
  validateEmpty(metadata, "must be empty", errors);
  return decide(authorizer, user, spec, errors);
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

function findErrors(spec: SubjectAccessReviewSpec, { hasSubject }: { readonly hasSubject: boolean }): FieldErrors {
  const errors = new FieldErrors();
  validateAttributes(spec, errors);
  if (hasSubject && !spec.user && !spec.groups?.length) {
    errors.invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified");
  }
  validateSelectors(spec, errors);
  return errors;
}

function validateEmpty(metadata: ObjectMeta = {}, why: string, errors: FieldErrors): void {
  const { managedFields: _managed, ...rest } = metadata;
  if (Object.keys(rest).length > 0) errors.invalid("metadata", metadata, why);
}

function subjectOf({ user = "", uid, groups = [], extra }: SubjectAccessReviewSpec): User {
  return { username: user, groups, ...uid && { uid }, ...extra && { extra } };
}

/** @throws {ApiError} 422 if there are errors. */
function decide(
  { authorize }: Authorizer,
  user: User,
  { resourceAttributes, nonResourceAttributes = {} }: SubjectAccessReviewSpec,
  { causes }: FieldErrors,
): object {
  if (causes.length > 0) throw invalid(SUBJECT, "", causes);
  const { verb = "", group = "", resource = "", subresource, namespace, name } = resourceAttributes ?? {};
  const { allowed, reason } = authorize(
    resourceAttributes
      ? { user, verb, group, resource, subresource, namespace, name }
      : { user, verb: nonResourceAttributes.verb ?? "", path: nonResourceAttributes.path ?? "" },
  );
  const broken = evaluationError(resourceAttributes);
  return { allowed, ...reason ? { reason } : {}, ...broken ? { evaluationError: broken } : {} };
}
