import { KeyRound } from 'lucide-react'
import { signInAtProvider } from '../../api/session'
import { Button } from '../../ui/Button'

interface ProviderSignInProps {
  provider: string
  /** The page of this workbench that comes afterwards. */
  returnTo: string
  isInNewTab?: boolean
}

/** Leads to the provider, which signs people in. */
export function ProviderSignIn({ provider, returnTo, isInNewTab = false }: ProviderSignInProps) {
  const go = () => {
    const address = signInAtProvider(returnTo)
    if (isInNewTab) window.open(address, '_blank', 'noopener')
    else location.assign(address)
  }
  return (
    <Button look="primary" isWrapped icon={<KeyRound size={14} aria-hidden />} onClick={go}>
      {`Sign in with ${provider}${isInNewTab ? ' in a new tab' : ''}`}
    </Button>
  )
}
