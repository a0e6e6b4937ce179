/** What a workspace or user group is made in: an application, or an organization directly. */
export interface Parent {
  readonly namespace: string;
  readonly appId: string | null;
  readonly orgId: string | null;
}
