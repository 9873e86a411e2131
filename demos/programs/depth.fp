/* For passes that write depth alone: the colours are masked. */
.interpolants position=w smooth=0

    exit nop
