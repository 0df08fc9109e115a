/** An address that names no application stands for the first one that the server has. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { applications } from '../api/queries'
import { DEVELOPMENT } from '../logic/view'
import { replaceView, useView } from './url-state'

/** Puts the first application into an address that names none, except on the pages that concern none. */
export function useNamedApplication(): void {
  const { application, page } = useView()
  const isWanted = application === '' && page !== 'home' && page !== 'guide'
  const { data } = useQuery({ ...applications, enabled: isWanted })
  const first = data?.[0]?.id
  const environment = data?.[0]?.environments[0] ?? DEVELOPMENT
  useEffect(() => {
    if (isWanted && first) replaceView({ application: first, environment })
  }, [isWanted, first, environment])
}
