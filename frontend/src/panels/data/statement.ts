/** The SELECT that is worked on in each application, and whether its form is open; kept while the page is open. */
import { create } from 'zustand'

export const useStatement = create<{ isOpen: boolean; texts: Readonly<Record<string, string>> }>(() => ({
  isOpen: false,
  texts: {},
}))
