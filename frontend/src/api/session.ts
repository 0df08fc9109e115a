/** Who is signed in, and the calls that change that. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { belowRoot } from './root'
import type { Person } from './types'

/** Whether this is the workbench of a team, and who of it is signed in; asked once, since a login loads the page anew. */
export const session = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answered(api.GET('/api/session', { signal })),
  staleTime: Infinity,
})

/** How people sign in, and the words for why the provider's sign-in did not succeed, by the code in the address. */
export const waysToSignIn = (refused: string | null) =>
  queryOptions({
    queryKey: ['sign-in', refused],
    queryFn: ({ signal }) => answered(api.GET('/api/sign-in', { params: { query: { refused } }, signal })),
    staleTime: Infinity,
  })

/** Where a sign-in at the provider begins; it ends at a page of this workbench, without what is behind `#` in it. */
export const signInAtProvider = (returnTo: string) =>
  belowRoot(`/api/sign-in/start?${new URLSearchParams({ return_to: returnTo.replace(/#.*/s, '') })}`)

export const signIn = (name: string, password: string) =>
  answered(api.POST('/api/session', { body: { name, password } }))

/** End this session, or with `isEverywhere` all of the person who is signed in. */
export const signOut = (isEverywhere: boolean) =>
  answered(isEverywhere ? api.DELETE('/api/sessions') : api.DELETE('/api/session'))

/** Whether somebody administers all applications, and so people and the record. */
export const isAdministrator = ({ roles }: Person) =>
  roles.some(({ application, role }) => application === null && role === 'administrator')
